"""The numbered means of an embedding version: fitted to its vectors, and fitted again as these grow."""

from __future__ import annotations

from collections.abc import Mapping

from pith import platform
from pith.domain.centring import HANGUL, OTHER, Means
from pith.domain.ports import Embedder
from pith.store import vectors
from pith.store.database import Db

FROM_SEEDS = 1  # the number of the mean that was made before there was anything to fit
WEIGHT = 32  # vectors that the mean before weighs as much as

# What a project might say, embedded once for each version: the first hundred vectors of a project are no measure of the
# model's own mean, and without any the scores of a small project would mean something else than those of a large one.
SEEDS = {
    OTHER: (
        "We decided to keep the tokens in a cookie that scripts cannot read.",
        "The build fails on Windows because the path has a backslash.",
        "Rename the function and update all the places that call it.",
        "I ran the tests; three of them fail with a timeout.",
        "Why is the cart total off by one cent when two coupons are used?",
        "Add a column to the users table and write the migration.",
        "The cache is not invalidated after a deployment.",
        "Please never commit to main without a review.",
        "git push was rejected, the branch is behind its remote.",
        "The endpoint returns 500 when the body is empty.",
        "We tried Redis first, but it lost messages when it restarted.",
        "def parse(line): return line.strip().split(',')",
        "The page takes four seconds to load on a phone.",
        "Next week we start with the invoices.",
        "Use the staging database for this, not production.",
        "The log is full of warnings about a deprecated option.",
    ),
    HANGUL: (
        "토큰은 스크립트가 읽을 수 없는 쿠키에 두기로 결정했습니다.",
        "윈도우에서 경로에 역슬래시가 있어 빌드가 실패합니다.",
        "함수 이름을 바꾸고 부르는 곳을 모두 고쳐 주세요.",
        "테스트를 돌렸더니 세 개가 시간 초과로 실패했습니다.",
        "쿠폰을 두 장 쓰면 장바구니 합계가 왜 1원 틀리나요?",
        "사용자 테이블에 열을 추가하고 마이그레이션을 작성합니다.",
        "배포한 뒤에 캐시가 지워지지 않습니다.",
        "앞으로는 리뷰 없이 main에 커밋하지 마세요.",
        "브랜치가 원격보다 뒤처져 있어 git push가 거절되었습니다.",
        "본문이 비어 있으면 엔드포인트가 500을 돌려줍니다.",
        "처음에는 Redis를 썼지만 다시 시작하면 메시지를 잃었습니다.",
        "휴대전화에서 페이지를 여는 데 4초가 걸립니다.",
        "다음 주에는 송장부터 시작합니다.",
        "운영 말고 스테이징 데이터베이스를 쓰세요.",
        "로그에 사용이 중단된 옵션 경고가 가득합니다.",
        "결제 웹훅의 서명을 확인한 뒤에만 다시 시도합니다.",
    ),
}


def known(db: Db, version: str) -> dict[int, Means]:
    """Every mean of the version, by number, the newest last; number 0 where there is none yet."""
    found = {number: Means(number, of) for number, of in vectors.means(db, version).items()}
    return found or {0: Means()}


def newest(db: Db, version: str) -> Means:
    """The mean that vectors are compared without."""
    return list(known(db, version).values())[-1]


def seed(db: Db, version: str, embedder: Embedder) -> None:
    """Give a new version its first mean, so that scores mean the same from the first vector on."""
    from pith.adapters import exact_index

    if vectors.means(db, version):
        return
    made = {script: (0, exact_index.average(embedder.embed_documents(texts))) for script, texts in SEEDS.items()}
    with db.transaction():
        if not vectors.means(db, version):
            vectors.put_means(db, version, FROM_SEEDS, platform.now(), made)


def fit(db: Db, version: str, sums: Mapping[str, tuple[int, bytes]]) -> None:
    """Give the version a mean with the next number, from how many vectors each script has and their sum."""
    from pith.adapters import exact_index

    found = known(db, version)
    made = exact_index.fitted(sums, found.get(FROM_SEEDS, Means()), WEIGHT)
    with db.transaction():
        vectors.put_means(db, version, max(FROM_SEEDS, *found) + 1, platform.now(), made)
