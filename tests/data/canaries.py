"""Planted secrets in the places where they turn up, for every test that must never see one again.

Every secret is put together when this file is imported, so that no scanner takes the file itself for a leak.
"""

from __future__ import annotations

from string import ascii_letters, ascii_uppercase, digits

HEX = "0123456789abcdef"
UPPER = ascii_uppercase + "234567"
ALNUM = ascii_letters + digits
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


def drawn(length: int, alphabet: str = ALNUM, seed: int = 1) -> str:
    """Characters that look drawn by lot and are the same every time."""
    state, out = seed * 2_654_435_761 % 2**32 or 1, []
    for _ in range(length):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        out.append(alphabet[(state >> 16) % len(alphabet)])
    return "".join(out)


def _pem(label: str, lines: int = 6, end: bool = True, newline: str = "\n", seed: int = 1) -> str:
    body = newline.join(drawn(64, BASE64, seed + i) for i in range(lines))
    tail = f"{newline}{drawn(30, BASE64, seed + 99)}=={newline}" + "-----" + f"END {label}-----" if end else ""
    return "-----" + f"BEGIN {label}-----" + newline + body + tail


def _jwt(seed: int = 1) -> str:
    opening = "ey"
    return f"{opening}JhbGciOiJIUzI1NiJ9.{opening}J" + drawn(60, URLSAFE, seed) + "." + drawn(43, URLSAFE, seed + 1)


AWS_ID = "AK" + "IA" + drawn(16, UPPER, 3)
AWS_SESSION_ID = "AS" + "IA" + drawn(16, UPPER, 4)
AWS_SECRET = drawn(40, BASE64, 5)
GITHUB = {
    p: p + "_" + drawn(36, ALNUM, i + 10)
    for i, p in enumerate(("gh" + "p", "gh" + "o", "gh" + "s", "gh" + "r", "gh" + "u"))
}
GHP, GHO, GHS, GHR, GHU = GITHUB.values()
GITHUB_PAT = "github" + "_pat_" + drawn(22, ALNUM, 20) + "_" + drawn(59, ALNUM, 21)
GITLAB = "gl" + "pat-" + drawn(20, ALNUM, 22)
GITLAB_RUNNER = "gl" + "rt-" + drawn(20, ALNUM, 23)
SLACK_BOT = "xo" + "xb-" + drawn(12, digits, 24) + "-" + drawn(13, digits, 25) + "-" + drawn(24, ALNUM, 26)
SLACK_USER = "xo" + "xp-" + drawn(12, digits, 27) + "-" + drawn(12, digits, 28) + "-" + drawn(32, HEX, 29)
SLACK_APP = "xa" + "pp-1-A" + drawn(10, UPPER, 30) + "-" + drawn(13, digits, 31) + "-" + drawn(64, HEX, 32)
SLACK_PATH = "services/T" + drawn(8, UPPER, 33) + "/B" + drawn(8, UPPER, 34) + "/" + drawn(24, ALNUM, 35)
SLACK_HOOK = "https://hooks." + "slack.com/" + SLACK_PATH
STRIPE = "sk_" + "live_" + drawn(24, ALNUM, 36)
STRIPE_TEST = "sk_" + "test_" + drawn(24, ALNUM, 37)
STRIPE_RESTRICTED = "rk_" + "live_" + drawn(24, ALNUM, 38)
STRIPE_HOOK = "wh" + "sec_" + drawn(32, ALNUM, 39)
OPENAI = "s" + "k-" + drawn(20, ALNUM, 40) + "T3Blbk" + "FJ" + drawn(20, ALNUM, 41)
OPENAI_PROJECT = "s" + "k-proj-" + drawn(74, URLSAFE, 42)
ANTHROPIC = "s" + "k-ant-api03-" + drawn(93, URLSAFE, 43) + "AA"
GOOGLE = "AI" + "za" + drawn(35, URLSAFE, 44)
GOOGLE_SECRET = "GOC" + "SPX-" + drawn(28, ALNUM, 45)
GOOGLE_ACCESS = "ya" + "29." + "a0" + drawn(100, URLSAFE, 46)
GOOGLE_REFRESH = "1/" + "/0" + drawn(61, URLSAFE, 47)
AZURE_KEY = drawn(86, BASE64, 48) + "=="
AZURE_STORAGE = (
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=" + AZURE_KEY + ";EndpointSuffix=core.windows.net"
)
AZURE_SECRET = drawn(3, ALNUM, 49) + "8" + "Q~" + drawn(34, ALNUM, 50)
AZURE_SIGNATURE = drawn(43, ALNUM, 51) + "%3D"
NPM = "np" + "m_" + drawn(36, ALNUM, 52)
PYPI = "py" + "pi-AgEIcHlwaS5vcmc" + drawn(120, URLSAFE, 53)
SENDGRID = "S" + "G." + drawn(22, URLSAFE, 54) + "." + drawn(43, URLSAFE, 55)
TWILIO = "S" + "K" + drawn(32, HEX, 56)
TWILIO_AUTH = drawn(32, HEX, 57)
DISCORD = "MT" + drawn(24, ALNUM, 58) + "." + drawn(6, ALNUM, 59) + "." + drawn(38, ALNUM, 60)
DISCORD_HOOK_PATH = drawn(18, "123456789", 61) + "/" + drawn(68, URLSAFE, 62)
TELEGRAM = drawn(10, "123456789", 63) + ":A" + "A" + drawn(33, ALNUM, 64)
HUGGINGFACE = "h" + "f_" + drawn(34, ascii_letters, 65)
DIGITALOCEAN = "do" + "p_v1_" + drawn(64, HEX, 66)
DATABRICKS = "da" + "pi" + drawn(32, HEX, 67)
SHOPIFY = "shp" + "at_" + drawn(32, HEX, 68)
VAULT = "hv" + "s." + drawn(90, ALNUM, 69)
DOPPLER = "dp." + "pt." + drawn(43, ALNUM, 70)
LINEAR = "lin" + "_api_" + drawn(40, ALNUM, 71)
GROQ = "gs" + "k_" + drawn(52, ALNUM, 72)
NOTION = "nt" + "n_" + drawn(46, ALNUM, 73)
JWT = _jwt(74)
PEM_RSA = _pem("RSA PRIVATE KEY", seed=76)
PEM_PKCS8 = _pem("PRIVATE KEY", seed=80)
PEM_SSH = _pem("OPENSSH PRIVATE KEY", seed=84)
PEM_ESCAPED = _pem("PRIVATE KEY", newline="\\n", seed=88)
PEM_TRUNCATED = _pem("EC PRIVATE KEY", end=False, seed=92)
PEM_PGP = _pem("PGP PRIVATE KEY BLOCK", seed=96)
HEX32, HEX40, HEX64 = drawn(32, HEX, 100), drawn(40, HEX, 101), drawn(64, HEX, 102)
WEAK, STRONG, SHORT = "hun" + "ter2!x", "Tr0ub4" + "dor&3#Zq", "qwer" + "1234"
PHRASE = "correct horse " + "battery staple"
KO_PASSWORD = "dkagh" + "2024!"
RANDOM24, RANDOM32 = drawn(24, ALNUM, 103), drawn(32, ALNUM, 104)
BASIC = "dXNlcjpw" + "YXNzdzByZDEyMw=="

EVERY_KIND = (
    AWS_ID, AWS_SESSION_ID, GHP, GHO, GHS, GHR, GHU, GITHUB_PAT, GITLAB, GITLAB_RUNNER, SLACK_BOT, SLACK_USER, SLACK_APP,
    STRIPE, STRIPE_TEST, STRIPE_RESTRICTED, STRIPE_HOOK, OPENAI, OPENAI_PROJECT, ANTHROPIC, GOOGLE, GOOGLE_SECRET,
    GOOGLE_ACCESS, GOOGLE_REFRESH, AZURE_SECRET, NPM, PYPI, SENDGRID, TWILIO, DISCORD, TELEGRAM, HUGGINGFACE, DIGITALOCEAN,
    DATABRICKS, SHOPIFY, VAULT, DOPPLER, LINEAR, GROQ, NOTION, JWT,
)  # fmt: skip
"""Secrets whose own shape gives them away, wherever they stand."""

SURROUNDINGS = (
    "I pasted the key {} here by mistake.",
    "{}를 그대로 커밋해 버렸습니다.",
    '{{"output": "done\\n{}\\nnext line"}}',
)

_PLACED: tuple[tuple[str, str], ...] = (
    # Environment files and shells
    ("DATABASE_PASSWORD={}\nDEBUG=1\n", STRONG),
    ("# local\nexport DB_PASS='{}'\n", WEAK),
    ("REDIS_PASSWORD={} # rotate\n", SHORT),
    ("PGPASSWORD={} psql -h db -U app", WEAK),
    ("AWS_SECRET_ACCESS_KEY={}\nAWS_REGION=ap-northeast-2", AWS_SECRET),
    ("aws_secret_access_key = {}\n", AWS_SECRET),
    ("SECRET_KEY_BASE={}\n", HEX64),
    ("JWT_SECRET={}\n", RANDOM32),
    ("ENCRYPTION_KEY={}\n", HEX32),
    ("NAVER_CLIENT_SECRET={}\n", drawn(10, ALNUM, 110)),
    ("KAKAO_REST_API_KEY={}\n", HEX32),
    ("TWILIO_AUTH_TOKEN={}\n", TWILIO_AUTH),
    ("HEROKU_API_KEY={}\n", "01234567-89ab-" + "4cde-8f01-23456789abcd"),
    ('$env:API_TOKEN = "{}"\r\n', RANDOM24),
    ("set DB_PASSWORD={}\r\n", WEAK),
    ("ENV MYSQL_ROOT_PASSWORD={}\n", STRONG),
    ("docker run -e POSTGRES_PASSWORD={} -p 5432:5432 postgres:16", WEAK),
    ('LDAP_BIND_PASSWORD="{}"', STRONG),
    ("SENTRY_AUTH_TOKEN={}", HEX64),
    ("POSTGRES_PASSWORD={}\n", "letme" + "inplease"),
    # JSON, YAML, TOML, XML, properties
    ('{{"username": "app", "password": "{}"}}', STRONG),
    ('{{"apiKey": "{}", "region": "kr"}}', RANDOM32),
    ('{{"access_token":"{}","token_type":"bearer","expires_in":3600}}', RANDOM32),
    ('{{"refresh_token": "{}"}}', drawn(48, URLSAFE, 111)),
    ('{{"text": "{{\\"client_secret\\": \\"{}\\"}}"}}', RANDOM32),
    ('{{"SecretAccessKey": "{}", "SessionToken": null}}', AWS_SECRET),
    ('{{"private_key": "{}"}}', PEM_ESCAPED),
    ('"env": [{{"name": "API_TOKEN", "value": "{}"}}]', RANDOM24),
    ('"auths": {{"registry.example.com": {{"auth": "{}"}}}}', BASIC),
    ("database:\n  user: app\n  password: {}\n", STRONG),
    ("smtp:\n  password: '{}'\n", WEAK),
    ("api_key: {}\n", RANDOM32),
    ("env:\n  - name: DB_PASSWORD\n    value: {}\n", WEAK),
    ("spring.datasource.password={}\n", WEAK),
    ("spring:\n  security:\n    jwt:\n      secret-key: {}\n", RANDOM32),
    ("[db]\npasswd = {}\n", WEAK),
    ("[client]\npwd={}\n", SHORT),
    ('token = "{}"\n', RANDOM24),
    ("<server><password>{}</password></server>", WEAK),
    ("//registry.npmjs.org/:_authToken={}\n", drawn(36, HEX + "-", 112)),
    ("_auth={}\n", BASIC),
    ("machine example.com login app password {}\n", WEAK),
    ("Server=db;Database=shop;User Id=sa;Password={};Encrypt=true", STRONG.replace("&", "x")),
    (
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
        drawn(43, BASE64, 113) + "=",
    ),
    (AZURE_STORAGE.replace(AZURE_KEY, "{}"), AZURE_KEY),
    ("https://shop.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig={}", AZURE_SIGNATURE),
    # Code
    ('client = Client(api_key="{}")', RANDOM32),
    ("const password = '{}';", WEAK),
    ('let secret: &str = "{}";', RANDOM24),
    ('password: str = "{}"', WEAK),
    ('os.environ["DB_PASSWORD"] = "{}"', WEAK),
    ('os.environ.setdefault("SECRET_KEY", "{}")', drawn(50, ALNUM + "!@#$%^&*(-_=+)", 114)),
    ("process.env.API_TOKEN = `{}`;", RANDOM24),
    ("conn = connect(host='db', user='app', password='{}', db='shop')", WEAK),
    ('String apiSecret = "{}";', RANDOM32),
    ('assert password == "{}"', WEAK),
    ('builder.setPassword("{}")', WEAK),
    ('config.put("db.password", "{}");', WEAK),
    ('private static final String ENCRYPT_KEY = "{}";', HEX32),
    ('$db["password"] = "{}";', WEAK),
    (":password => '{}',", WEAK),
    ('define("AUTH_KEY", "{}");', drawn(64, ALNUM + "!@#%^&*()", 115)),
    ('bot.run("{}")', DISCORD),
    ('-    password: "{}"\n+    password: ${{DB_PASSWORD}}\n', WEAK),
    # URLs
    ("postgres://app:{}@db.example.com:5432/shop", STRONG.replace("#", "x")),
    ("DATABASE_URL=mysql://root:{}@127.0.0.1/shop", WEAK),
    ("redis://:{}@cache:6379/0", WEAK),
    ("mongodb+srv://app:{}@cluster0.example.mongodb.net/?retryWrites=true", WEAK),
    ("amqp://guest:{}@mq:5672", SHORT),
    ("git clone https://oauth2:{}@git.example.com/team/repo.git", RANDOM24),
    ("https://app:{}@example.com/path", "p" + "@ss@2024"),
    ("https://api.example.com/v1?access_token={}&page=2", RANDOM32),
    ("GET /v2/items?api_key={} 200 12ms", HEX32),
    ("알림은 https://hooks." + "slack.com/{}로 보낸다", SLACK_PATH),
    ("https://discord.com/api/" + "webhooks/{}", DISCORD_HOOK_PATH),
    # Commands and headers
    ("curl -u admin:{} https://example.com", WEAK),
    ("curl -s --user 'admin:{}' https://example.com/api", STRONG.replace("&", "x")),
    ("curl -H 'Authorization: Bearer {}' https://api.example.com", RANDOM32),
    ('curl -H "X-API-Key: {}" https://api.example.com', RANDOM32),
    ('curl -H "PRIVATE-TOKEN: {}" https://git.example.com', RANDOM24),
    ("Authorization: Basic {}\r\n", BASIC),
    ("authorization: token {}", HEX40),
    ('headers = {{"Authorization": f"Bearer {}"}}', RANDOM32),
    ("'Authorization': '{}'", RANDOM32),
    ("> Proxy-Authorization: Basic {}", BASIC),
    ("got 401 with bearer {} from the gateway", RANDOM32),
    ("Cookie: sessionid={}; theme=dark", RANDOM32),
    ("< Set-Cookie: sid={}; Path=/; HttpOnly", RANDOM32),
    ("curl -b 'session={}' https://example.com", RANDOM32),
    ("mysql -u root -p{} shop < dump.sql", SHORT),
    ("mysqldump --user=root --password={} shop", WEAK),
    ("deploy --token {} --env prod", RANDOM24),
    ("vault login --password '{}'", WEAK),
    ("sshpass -p {} ssh app@host", WEAK),
    ("redis-cli -h cache -a {} ping", WEAK),
    ("docker login -u app -p {} registry.example.com", WEAK),
    ("openssl enc -aes-256-cbc --passphrase {} -in f", WEAK),
    ("gh secret set X --api-key={}", RANDOM32),
    # English prose and logs
    ("The password is {} for now, please change it later.", WEAK),
    ("My API key is {}.", RANDOM32),
    ("login: admin / password: {}", SHORT),
    ('passphrase: "{}"', PHRASE),
    ("2026-01-02 10:00:01 DEBUG auth token={} user=7", HEX40),
    ("[debug] db password='{}' host=db", WEAK),
    ("secret: {}", RANDOM32),
    ("our api key {} stopped working", RANDOM32),
    ("secret={}&page=1", RANDOM32),
    ("Temporary credentials: {}", RANDOM24),
    ("pwd: {}", WEAK),
    ("| admin password | `x` |\npassword: `{}`", WEAK),
    ("**Password:** {}", WEAK),
    ("\x1b[31mtoken\x1b[0m: ok\n\x1b[32m{}\x1b[0m", GHP),
    # Korean prose
    ("비밀번호: {}", SHORT),
    ("비밀번호는 {}입니다.", SHORT),
    ("DB 비번 {} 로 접속하세요", SHORT),
    ("비번은 {}야", KO_PASSWORD),
    ("암호는 {}이고 바꾸지 마세요", WEAK),
    ("관리자 암호: {}", KO_PASSWORD),
    ("암호(임시): {}", SHORT),
    ("패스워드 = {}", SHORT),
    ("임시 비밀번호를 {}로 바꿨습니다", SHORT),
    ("토큰: {}", RANDOM32),
    ("토큰은 {}이에요", RANDOM32),
    ("인증키: {}", HEX32),
    ("공공데이터 인증키는 {}입니다", drawn(86, ALNUM, 116) + "=="),
    ("API 키는 {}를 쓰세요", RANDOM32),
    ("시크릿은 {}로 설정했어요", RANDOM32),
    ("서버 비밀번호 : '{}'", WEAK),
    ("비밀번호가 {}라서 로그인이 됩니다", SHORT),
    ('"비밀번호": "{}"', WEAK),
    ("비번: {}", "82" + "7301"),
    ("슬랙 토큰은 {}이다", SLACK_BOT),
    # Private keys
    ("{}", PEM_RSA),
    ("cat > key.pem <<EOF\n{}\nEOF\n", PEM_PKCS8),
    ("ssh 키:\n{}\n이걸로 접속합니다", PEM_SSH),
    ("잘린 출력\n{}", PEM_TRUNCATED),
    ("{}\n... output truncated", PEM_TRUNCATED),
    ("gpg\n{}\n", PEM_PGP),
    ('PRIVATE_KEY="{}"', PEM_ESCAPED),
)

PLANTED: list[tuple[str, str]] = [
    *((text.format(secret), secret) for secret in EVERY_KIND for text in SURROUNDINGS),
    *((text.format(secret), secret) for text, secret in _PLACED),
]
"""(text, the secret in it)"""

PERSONAL: list[tuple[str, str]] = [
    (text.format(secret), secret)
    for text, secret in (
        ("주민등록번호는 {}입니다", "900101-" + "1234568"),
        ("연락처 {}로 전화 주세요", "010-" + "1234-5678"),
        ("휴대폰: {}", "0101" + "2345678"),
        ("사무실 {}", "02-" + "345-6789"),
        ("call {} please", "+82 10-" + "1234-5678"),
        ("call {} please", "+1 415-" + "555-0134"),
        ("phone (US): {}", "(415) " + "555-0134"),
        ("card {} exp 12/29", "4111 1111 " + "1111 1111"),
        ("카드번호 {}를 등록", "5555-5555-" + "5555-4444"),
        ("amex {}", "378282" + "246310005"),
        ("국민은행 {} 홍길동", "123456-04-" + "123456"),
        ("입금 계좌는 {}입니다", "110-234-" + "567890"),
        ("mail to {} today", "user.name@" + "example.com"),
        ("담당자 {}에게", "dev@" + "example.co.kr"),
    )
]
"""(text, the personal data in it)"""
