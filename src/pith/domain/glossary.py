"""Words of coding work in Korean and English: who asks in one language finds what was written in the other.

A table of ordinary words, not of any project's. On the hook's path: the table is read when a question holds a word of
the other language's script at all, and once.
"""

from __future__ import annotations

from pith.domain.stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.domain.words import Word

LONGEST = 6  # syllables of a Korean word in the table
_VERBAL = (
    "하",
    "되",
    "해",
    "했",
    "된",
    "될",
    "할",
    "한",
    "함",
    "돼",
    "됐",
    "시",
    "면",
    "고",
    "는",
    "던",
    "려",
    "었",
    "",
)

# A Korean word, then what it is called in English. Particles and endings are not part of it.
_TABLE = """
가격 price|가맹점 merchant|가비지 garbage|가입 signup register|간격 interval|감사 audit|값 value|강제 force
개발 development dev|개수 count number|개인정보 personal privacy|개통 activation|갱신 refresh renew update
거부 reject refuse deny|거절 reject decline refuse|검사 check scan inspect|검색 search query
검증 verify validate verification validation|결과 result|결정 decide decision|결제 payment pay checkout
경고 warning warn|경로 path route|경보 alarm alert|계산 compute calculate|계약 contract|계정 account|계획 plan
고객 customer client|고정 pin fix fixed|공개 public publish|공백 space whitespace|공유 share shared|공휴일 holiday
관리자 admin administrator|광고 advert ads|교체 replace swap|구독 subscription subscribe|구매 purchase buy
구성 config configuration|구현 implement implementation|권한 permission access|규칙 rule|그룹 group|금액 amount
금요일 friday|기간 period duration|기능 feature function|기록 record log history|기본 default|기준 threshold
깨지 broken break|나누 split divide|날짜 date|내보내 export|내용 content|네트워크 network|노드 node|누수 leak
느려 slow|느리 slow|느린 slow|다운로드 download|다크 dark|단계 step stage phase|단위 unit|달력 calendar
담당 owner responsible|대기 wait pending|대량 bulk|대시보드 dashboard|대화 conversation dialog chat|대화상자 dialog
데드락 deadlock|데이터 data|데이터베이스 database|도구 tool|도메인 domain|도커 docker|독일어 german
동기 sync synchronous|동시 concurrent simultaneous|동의어 synonym|되돌리 revert rollback undo|두번 twice duplicate
드라이버 driver|등록 register registration|디버그 debug|디스크 disk|디자인 design|라우터 router|라우팅 routing
라이브러리 library|락 lock|레디스 redis|로그 log|로그아웃 logout|로그인 login signin|로드밸런서 balancer
로딩 loading load|로컬 local|롤백 rollback|리더 leader|리뷰 review|리소스 resource|리팩터링 refactor refactoring
리팩토링 refactor refactoring|린터 linter lint|릴리스 release|링크 link|마감 deadline|마이그레이션 migration
마케팅 marketing|만료 expire expiry expiration|매개변수 parameter|매시 hourly|매일 daily|매장 store shop
매출 revenue sales|메모 note|메모리 memory|메서드 method|메시지 message|메일 mail email|메일함 inbox|메트릭 metric
멱등 idempotent idempotency|명령 command|모니터링 monitoring|모델 model|모듈 module|모바일 mobile|목록 list
무료 free|무시 ignore|무작위 random jitter|문서 doc documentation document|문자 character sms|문자열 string
문제 problem issue|미리보기 preview|바꾸 change replace|바꿨 change replace switch|바이러스 virus|바이트 byte
반복 repeat loop|반올림 round rounding|반품 return|배달 delivery|배송 shipping shipment delivery
배송비 shipping|배열 array|배치 batch|배포 deploy deployment release|백그라운드 background|백업 backup
백오프 backoff|버그 bug|버전 version|버튼 button|번들 bundle|번역 translation translate|범위 range scope|법무 legal
변경 change|변수 variable|변환 convert|병렬 parallel|병목 bottleneck|병합 merge|보관 keep retention retain archive
보류 hold pending|보안 security|복구 restore recover recovery|복사 copy|복원 restore|복제 replica replicate clone
복제본 replica|본문 body|부가세 vat tax|부하 load|북마크 bookmark|분당 minute|분리 separate split|분산 distributed
분석 analysis analytics|분석가 analyst|분쟁 dispute|브라우저 browser|브랜치 branch|블록 block
비동기 async asynchronous|비밀 secret|비밀번호 password|비용 cost|빌드 build|빠르 fast|사용자 user|삭제 delete
산출물 artifact|상담 support chat|상담원 agent support|상점 shop store merchant|상태 state status|상품 product item
새로고침 refresh reload|새벽 night dawn|색인 index reindex|생성 create generate|샤드 shard|샤딩 sharding
서명 signature sign|서버 server|서비스 service|서킷브레이커 breaker|선택 choose select option|설계 design
설명 explain description|설정 setting config configuration|설치 install|성공 success succeed|성능 performance
세금 tax|세마포어 semaphore|세션 session|소수점 decimal|소스 source|속도 speed rate|손님 customer guest|송장 invoice
수량 quantity|수신 receive|수정 fix edit change modify|수집 collect|순서 order sequence|숨기 hide|스냅샷 snapshot
스레드 thread|스모크 smoke|스웨거 swagger|스케일 scale|스케줄 schedule|스케줄러 scheduler|스크립트 script
스키마 schema|스타일 style|스택 stack|스테이징 staging|스트레스 stress|스트리밍 streaming stream|스팸 spam
스프린트 sprint|승인 approve approval|시각 time timestamp|시간 time hour|시간대 timezone zone|시간초과 timeout
시도 attempt try|시스템 system|시작 start begin|시크릿 secret|시험 test|식별자 id identifier|신호 signal
실수 mistake|실시간 realtime live|실패 fail failure failed|실행 run execute|실험 experiment|쓰기 write|아이디 id
아키텍처 architecture|안드로이드 android|알고리즘 algorithm|알림 notification alert notify|암호 password cipher
암호화 encrypt encryption|압축 compress compression gzip|앱 app|야간 nightly night|약관 terms|어댑터 adapter
언어 language|업그레이드 upgrade|업데이트 update|업로드 upload|업체 vendor provider|에디터 editor|에러 error
엑셀 excel spreadsheet|엔드포인트 endpoint|연결 connection connect|연동 integration|영수증 receipt|예산 budget
예상 estimate expected|예약 booking reservation|예외 exception|오류 error|오류율 error|오버플로 overflow
오프라인 offline|온라인 online|온콜 oncall|올리 upload raise|옵션 option|외부 external|요금 price fee plan
요금제 plan tier|요청 request|용량 size capacity|우회 workaround bypass|운영 production operations|원본 original raw
원인 cause reason|월요일 monday|웹소켓 websocket websockets|웹훅 webhook|위젯 widget|유일 unique|유지 keep maintain
유효 valid|의존성 dependency|이관 migrate transfer move|이름 name|이모지 emoji|이미지 image|이벤트 event|이슈 issue
이유 reason why because|인기 popular popularity|인덱스 index|인스턴스 instance|인증 auth authentication
인증서 certificate|인코딩 encoding|인터페이스 interface|일괄 bulk batch|일정 schedule|읽기 read|임계값 threshold
임시 temporary temp|입고 restock arrival|입력 input|자동 automatic automatically|자동완성 autocomplete suggestion
자바스크립트 javascript|작업 job task work|잔액 balance|잠그 lock|잠금 lock|잠기 lock|장바구니 cart basket
장애 outage incident failure|재고 stock inventory|재배포 redeploy|재설정 reset|재시도 retry retries|재시작 restart
저장 save store storage|저장소 repository storage|전송 send transfer transmit|전이 transition
전환 switch conversion transition|점검 maintenance check|접근 access|정각 hour|정규식 regex regular expression
정렬 sort sorting order|정리 cleanup clean|정산 settlement|정책 policy|제거 remove|제한 limit limited|조건 condition
조인 join|조회 query lookup read|종료 shutdown exit terminate|주기 interval period|주문 order|주문번호 order
주석 comment|주소 address|줄바꿈 newline|중단 stop abort|중복 duplicate|증분 incremental|지도 map maps|지역 region
지연 delay latency lag|지우 delete erase remove|지표 metric|직렬화 serialization|직원 staff employee|진단 diagnose
차단 block|차트 chart|창고 warehouse|채팅 chat|처리 process handle|첨부 attachment|체크 check|초과 exceed over
초기화 initialize reset|초당 second|최대 maximum max|최소 minimum min|최신 latest newest|추가 add
추천 recommend recommendation recommended|출력 output print|충돌 conflict crash|취소 cancel cancelled
취약점 vulnerability|카나리 canary|카드 card|카카오 kakao|카테고리 category|칼럼 column|캐시 cache|캘린더 calendar
커밋 commit|커서 cursor|컨테이너 container|컬럼 column|컬렉션 collection|컴파일 compile|컴포넌트 component|코드 code
쿠버네티스 kubernetes|쿠키 cookie|쿠폰 coupon|쿼리 query|큐 queue|크기 size|클라우드 cloud|클라이언트 client
클래스 class|클릭 click|키 key|키보드 keyboard|타임아웃 timeout|타입 type|탈퇴 unsubscribe|태그 tag|태블릿 tablet
터미널 terminal|테마 theme|테스트 test tests|테이블 table|템플릿 template|토큰 token|통계 statistics stats
통화 currency|트래픽 traffic|트랜잭션 transaction|트리거 trigger|파드 pod pods|파라미터 parameter|파서 parser
파싱 parse parsing|파이썬 python|파이프라인 pipeline|파일 file|파티션 partition|판매 sale sell|패치 patch
패키지 package|페이지 page|페이징 paging pagination|편집 edit|포맷 format|포인트 points point|포커스 focus|포트 port
폴더 folder directory|폴링 polling|폼 form|푸시 push|풀리퀘스트 pull|프로덕션 production|프로세스 process
프로젝트 project|프록시 proxy|프론트엔드 frontend|프롬프트 prompt|플래그 flag|플러그인 plugin|피드 feed
픽스처 fixture|필드 field|필터 filter|하트비트 heartbeat|한국어 korean|한글 korean hangul|한도 limit cap
할인 discount|함수 function|해결 fix solve resolve|해시 hash|해지 cancel unsubscribe|핸들러 handler|행 row rows
현지 local|형식 format|호스트 host|호출 call|호출기 pager|호환 compatible|혼잡 congestion|화면 screen page
확인 confirm check verify|환경 environment env|환경변수 environment|환불 refund|활성 active enable|회계 accounting
회고 retrospective postmortem|회원 member user|회전 rotate rotation|후보 candidate|휴대폰 phone mobile|힙 heap
"""

_english: dict[str, str] = {}


class Part:
    """A part of a word with the share it has in it, and the names of that part, each as the terms it is found by."""

    __slots__ = ("names", "share")

    def __init__(self, names: list[tuple[str, ...]], share: float) -> None:
        self.names = names
        self.share = share


def parts(word: Word) -> list[Part]:
    """What a word of a question is called in the other language, part by part."""
    if word.is_cjk:
        return [Part([(each,) for each in stems], share) for stems, share in english(word.text)]
    known = korean(word.parts[0]) if len(word.parts) == 1 else ()
    return [Part([_bigrams(each) for each in known], 1.0)] if known else []


def _bigrams(word: str) -> tuple[str, ...]:
    return tuple(word[at : at + 2] for at in range(len(word) - 1))


def english(word: str) -> list[tuple[tuple[str, ...], float]]:
    """English stems for each longest word of the table in a Korean word, with the share of it that each makes up."""
    if not _english:
        for entry in _TABLE.replace("\n", "|").split("|"):
            korean_word, _, meanings = entry.partition(" ")
            _english[korean_word] = meanings
    found: list[tuple[tuple[str, ...], float]] = []
    at = 0
    while at < len(word):
        end = _longest(word, at)
        if end:
            made_of = end if word[end : end + 1] in _VERBAL else len(word)
            stems = tuple(stem(each) for each in _english[word[at:end]].split())
            found.append((stems, (end - at) / made_of))
        at = end or at + 1
    return found


def _longest(word: str, at: int) -> int:
    """Where the longest word of the table ends that begins here, 0 where none does; one syllable alone is chance."""
    for end in range(min(len(word), at + LONGEST), at + (len(word) > 1), -1):
        if word[at:end] in _english:
            return end
    return 0


def korean(word: str) -> tuple[str, ...]:
    """Korean words for an English stem: looked for in the table as it is, since a table the other way has its price."""
    beginning = " " + (word[:-1] if len(word) > 3 else word)
    found = []
    at = _TABLE.find(beginning)
    while at >= 0:
        start = max(_TABLE.rfind("|", 0, at), _TABLE.rfind("\n", 0, at)) + 1
        end = at + 1
        while _TABLE[end].isalpha():
            end += 1
        if stem(_TABLE[at + 1 : end]) == word:
            found.append(_TABLE[start:at].partition(" ")[0])
        at = _TABLE.find(beginning, end)
    return tuple(each for each in dict.fromkeys(found) if len(each) > 1)
