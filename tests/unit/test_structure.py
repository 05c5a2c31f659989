"""The drawing of a repository, from names alone."""

from __future__ import annotations

from pith.domain import build_files, structure
from pith.domain.structure import LIMITS, TYPES, draw

SHOP = {
    "package.json": '{"name": "shop", "workspaces": ["packages/*"]}',
    "packages/auth/package.json": '{"name": "@shop/auth"}',
    "docker-compose.yml": "services:\n  db:\n    image: 'postgres:16'\n  q:\n    image: redis:7\n",
}
FILES = [
    *SHOP,
    "packages/auth/src/api/routes.ts",
    "packages/auth/src/api/routes.spec.ts",
    "packages/auth/src/model/user.ts",
    "packages/auth/src/model/deep/er.ts",
    "README.md",
    "docs/adr/001.md",
    "docs/guide.md",
    "tests/e2e/a.spec.ts",
    "Dockerfile",
    "k8s/web.yaml",
    "infra/main.tf",
    "db/migrations/001.sql",
    "node_modules/left/index.js",
    "dist/app.js",
    ".git/config",
    ".orange-hyper/config.json",
    "packages/auth/coverage/x.js",
    "target/classes/A.java",
    "build/out.py",
]


def _ids(drawn: structure.Structure) -> set[str]:
    return {part.id for part in drawn.parts}


def test_G27_every_type_of_part_is_drawn_from_names_and_build_files():
    drawn = draw("shop", FILES, SHOP)
    assert {part.type for part in drawn.parts} == set(TYPES)
    assert _ids(drawn) >= {
        "project", "module:.", "module:packages/auth", "domain:packages/auth/src/api", "domain:packages/auth/src/model",
        "component:packages/auth/src/model/deep", "test:tests", "test:packages/auth", "document:README.md", "document:docs",
        "infrastructure:Dockerfile", "infrastructure:k8s", "infrastructure:infra", "infrastructure:docker-compose.yml",
        "datastore:postgres", "datastore:redis", "datastore:db",
    }  # fmt: skip


def test_G27_what_is_made_or_foreign_is_left_out():
    drawn = draw("shop", FILES, SHOP)
    paths = [part.path for part in drawn.parts]
    for left_out in ("node_modules", "dist", "build", "target", "coverage", ".git", ".orange-hyper"):
        assert not [path for path in paths if left_out in path.split("/")]


def test_G27_an_empty_repository_still_has_its_project():
    drawn = draw("빈 저장소", [], {})
    assert [(part.id, part.type, part.title) for part in drawn.parts] == [("project", "project", "빈 저장소")]


def test_every_part_but_the_project_is_contained_in_one_that_is_drawn():
    drawn = draw("shop", FILES, SHOP)
    assert all((part.parent in _ids(drawn)) == (part.id != "project") for part in drawn.parts)


def test_the_order_of_the_files_changes_nothing():
    assert draw("shop", FILES, SHOP) == draw("shop", FILES[::-1], SHOP)


def test_a_huge_repository_gives_a_bounded_drawing_that_counts_what_it_left_out():
    files = [f"packages/p{i % 90}/src/d{i % 7}/c{i % 11}/f{i}.ts" for i in range(50_000)]
    files += [f"packages/p{i}/package.json" for i in range(90)]
    drawn = draw("large", files, {})
    assert len(drawn.parts) <= 1 + sum(LIMITS.values()) <= 400
    assert drawn.omitted["module"] == 20
    assert drawn.omitted["component"] > 100
    assert all(part.parent in _ids(drawn) for part in drawn.parts if part.id != "project")


def test_one_package_inside_src_is_a_passage_and_its_folders_are_the_domains():
    files = [
        "pyproject.toml",
        "src/shop/__init__.py",
        *(f"src/shop/{name}/a.py" for name in ("api", "store", "domain")),
    ]
    drawn = draw("shop", files, {"pyproject.toml": '[project]\nname = "shop-server"\n'})
    assert {part.title for part in drawn.parts if part.type == "domain"} == {"api", "store", "domain"}
    assert next(part.title for part in drawn.parts if part.type == "module") == "shop-server"


def test_a_java_module_is_drawn_below_its_long_path():
    files = [
        "settings.gradle", "build.gradle", "app/build.gradle.kts",
        "app/src/main/java/com/acme/shop/order/Order.java", "app/src/main/java/com/acme/shop/member/Member.java",
        "app/src/test/java/com/acme/shop/OrderTest.java",
    ]  # fmt: skip
    ids = _ids(draw("shop", files, {}))
    assert {"module:app", "domain:app/src/main/java/com/acme/shop/order", "test:app/src/test"} <= ids


def test_names_in_build_files_are_read_and_broken_ones_do_no_harm():
    said = {
        "package.json": '{"name": "@shop/web"}', "go.mod": "module example.org/shop/api\n\ngo 1.22\n",
        "Cargo.toml": '[package]\nname = "shop"\n', "pyproject.toml": '[tool.poetry]\nname = "상점"\n',
        "pom.xml": "<project><parent><artifactId>base</artifactId></parent><artifactId>order</artifactId></project>",
    }  # fmt: skip
    assert [build_files.name_in(name, text) for name, text in said.items()] == [
        "@shop/web",
        "api",
        "shop",
        "상점",
        "order",
    ]
    for broken in ("{", "[", "[]", "null", '{"name": 3}', "[" * 100_000, "\x00"):
        assert all(build_files.name_in(name, broken) == "" for name in said)


def test_a_path_belongs_to_the_innermost_part_that_holds_it():
    parts = {"src": "domain:src", "src/auth": "component:src/auth"}
    assert structure.part_of("src/auth/login.py", parts) == "component:src/auth"
    assert structure.part_of("./src/auth/**/*.py", parts) == "component:src/auth"
    assert structure.part_of("src/*.py", parts) == "domain:src"
    assert structure.part_of("src\\auth\\login.py", parts) == "component:src/auth"
    for nowhere in ("docs/a.md", "../src/auth", "/src/auth", "~/src", "C:/src", "", "**"):
        assert structure.part_of(nowhere, parts) is None
