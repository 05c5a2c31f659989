"""Texts that speak of secrets and hold none: every one must stay as it is."""

from __future__ import annotations

CLEAN = (
    # Bare words, types, code
    "token", "secret", "auth", "password", "API key", "The token, the secret and the password.",
    "password: str", "password: string;", "token: str | None = None", "def login(user: str, password: str) -> Token:",
    "interface Login { password: string; token?: string }", "token = get_token()", "password = getpass.getpass()",
    "secret = load_secret(path)", 'os.environ["API_KEY"]', 'token = os.environ["API_KEY"]', 'os.getenv("DB_PASSWORD")',
    "process.env.API_TOKEN", "const token = process.env.API_TOKEN;", "api_key=settings.api_key,", "password=self.password)",
    "client = OpenAI(api_key=api_key)", "token = tokens[0]", "secret_key = config['secret_key']", "key=lambda item: item.id",
    '{"key": "value"}', "for key, value in pairs.items():", "max_tokens: 4096", "token_count = 1234567",
    '"token_type": "bearer"', "expires_token: 3600", "password_hash = hash_password(password)", "if password == other_password:",
    "if not token: raise InvalidToken", "self.token = token", "this.password = password;", "return { token, user };",
    "class TokenError(Exception): pass", "token: authToken", 'type="password" name="password"', "<input type='password' id='pw1'>",
    "pass", "passed: 12, failed: 0", "bypass: true", "3 passed in 0.12s", "keyboard: us", "monkey = 3", "primary_key=True",
    "PRIMARY KEY (id)", "foreign key: user_id", "cache_key = f'{user}:{page}'", "sort key: created_at", "KeyError: 'token'",
    "jwt.decode(token, key, algorithms=['HS256'])", "password_encoder: bcrypt", "auth: oauth2", "auth = HTTPBasicAuth(user, password)",
    "SELECT password FROM users WHERE id = 1", "ALTER TABLE users ADD COLUMN password VARCHAR(255) NOT NULL;",
    "token = crypto.randomBytes(32).toString('hex')", "secret: { name: db, optional: true }", "secrets: inherit",
    "token: ${{ secrets.GITHUB_TOKEN }}", "password: {{ vault_password }}", "auth_token = response.json()['token']",
    "let token = req.headers.authorization;", "credentials: 'include'", "credentials = Credentials.from_env()",
    "cookie: string", "document.cookie", "Cookie policy: strict", "cookies = response.cookies",
    # Placeholders
    "${API_KEY}", "API_KEY=${API_KEY}", "api_key: <your-token>", "token=xxxx", "password: ***", "password=********",
    "API_KEY=your-api-key-here", 'token: "<token>"', "DB_PASSWORD=$DB_PASSWORD", "PASSWORD=$(cat /run/secrets/db)",
    "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Authorization: Bearer ${token}", "sk-...", "ghp_...",
    "ghp_xxxxxxxx", "postgres://user:${DB_PASSWORD}@host/db", "https://user:<password>@host", "curl -u user:$PASSWORD https://x",
    "mysql -p$PW shop", "--password <password>", "--token TOKEN", "password: [masked:password]", "API_KEY=", "password: ''",
    # Ids, hashes, versions, paths
    "commit 4f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39", "a4da099 Lay out the layers", "id: 123e4567-e89b-12d3-a456-426614174000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-Q2hlY2tzdW1PZkFQYWNrYWdlVGhhdElzTm90QVNlY3JldEF0QWxsMTIzNDU2Nzg5MA=="',
    "--hash=sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "src/auth/login.ts", "src/auth/token2.ts:14", "token: src/auth/token2.ts", "secret: ./config/secret1.yaml", "api/token/v2/refresh",
    "text-embedding-3-small", "model: gpt-4o-mini", "key: ap-northeast-2", "sk-learn-pipeline-builder-example", "task-force-2024-planning",
    "desk-organizer-premium-2024", "auth v2.13.4", "token: 2024-01-01", "npm_config_registry_override", "hf_hub_download_with_progress",
    "from sklearn.model_selection import train_test_split_by_group", "dp.padding.horizontal.between.elements", "12.dp.toPx()",
    "https://example.com:8080/path@2", "http://localhost:3000/login", "git push -u origin main:main", "docker run -u 1000:1000 app",
    "mkdir -p src/auth/tokens", "cp -a build/ dist/", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 me@host",
    "a-very-long-kebab-case-slug-for-a-blog-post-2024", "| --- | ------------------ |", "SKIPPED 0123456789", "ASIAN markets",
    # English prose
    "The password is stored with bcrypt.", "The password is 8 characters or more.", "The token is valid for 3600 seconds.",
    "Password must be 8-20 characters", '"password": "Password must have 8 characters, one digit."', "the token is passed to refresh2()",
    "bearer authentication", "Basic authentication", "Bearer token missing", "We use Authorization: Bearer tokens.", "auth: required",
    "WWW-Authenticate: Basic realm=\"shop\"", "The secret is to keep functions short.", "The key is consistency.", "tokens: 128k",
    "password: required", "password: optional", '"password": "required"', "token: invalid", "Forgot password? Reset it.",
    "passwords do not match", "Invalid token: expected 3 parts", "API key: see the wiki", "The API key is read from AWS Secrets Manager.",
    # Korean prose
    "토큰이 만료되면 다시 발급한다", "토큰은 로그에 남기지 않는다", "비밀번호와 토큰은 로그에 남기지 않는다", "비밀번호는 bcrypt로 해시한다",
    "비밀번호는 8자 이상이어야 한다", "비밀번호: 최소 8자", "비밀번호: 8~20자", "비밀번호는 argon2id로 저장", "암호화는 AES256으로 한다",
    "암호는 SHA-256으로 해시합니다", "비밀번호 변경 API v2를 만든다", "비밀번호 오류가 5회면 잠근다", "토큰은 4096개까지", "토큰 2048개를 쓴다",
    "토큰은 JWT(HS256)이다", "토큰은 src/auth/token2.ts에서 만든다", "인증키는 환경 변수 API_KEY에서 읽는다", "API 키는 config.apiKey에 둔다",
    "비번을 잊었어요", "암호: <비밀번호>", "비밀번호는 users.password_hash에 있다", "토큰은 gpt-4o-mini 기준으로 센다", "암호 2024년 개정판",
    '"비밀번호": "비밀번호를 입력하세요"', 'label: "비밀번호"', "비밀번호 찾기 화면", "토큰은 process.env.TOKEN에서", "비밀번호는 `password` 필드",
)  # fmt: skip
