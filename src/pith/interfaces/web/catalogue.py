"""Every text of the page. A key is the English text; one that would mean two things has a word before it."""

from __future__ import annotations

# After a form was sent.
SAID = {
    "accepted": "Accepted: it is project memory now.",
    "rejected": "Rejected: no memory came of it.",
    "revised": "The changes are saved.",
    "unchanged": "Nothing was changed.",
    "set": "The setting is saved.",
    "unset": "The setting is taken back; what is weaker holds again.",
    "confirmed": "Confirmed: it holds from now on.",
    "withdrawn": "Withdrawn: it holds no more.",
}

# Keys that are not what they say.
ENGLISH = {
    "face hook": "hook", "face cli": "command line", "face mcp": "agent (MCP)", "face web": "this page",
    "part database": "database", "part wal": "write-ahead log", "part spool": "spool", "part backups": "backups",
    "part log": "log", "part vectors": "vectors",
    "origin person": "said by the person", "origin agent": "said by the agent", "origin tool": "output of a tool",
    "origin web": "text from the web", "origin import": "the host's own notes",
    "method exact": "word for word", "method normalized": "but for spaces and case", "method fuzzy": "nearly so",
    "method failed": "not found",
    "source environment": "environment", "source project": "this project", "source home": "your home",
    "source shared": "the repository", "source default": "default",
    "choose type": "Type", "choose stage": "Stage", "choose status": "Status",
    "dead_end": "dead end", "task_note": "note about a task", "in_progress": "in progress", "not_yet": "not yet",
    "scope project": "this project", "scope everywhere": "all my projects",
    "jobs pending": "waiting", "jobs processing": "being done", "jobs failed": "failed", "jobs done": "done",
    "mode endless": "endless", "mode session": "sessions",
    "why words": "its words", "why close_together": "close together", "why meaning": "its meaning",
    "why file": "the file it touched",
    "why kin": "kinship", "why neighbours": "turns beside it", "why session": "its session",
    "times kind": "who or what said it", "times recency": "how recent", "times question": "it asks itself",
    "times folder": "this folder", "times speaker": "who is named", "times time": "it names a time",
    "continuity seamless": "goes on", "continuity topic_shift": "another topic", "continuity break": "a new beginning",
    "continuity unknown": "nothing before",
    "accepted_by": "accepted by", "accepted_via": "accepted on",
}  # fmt: skip

# English says one thing otherwise than several.
SINGULAR = {
    "{n} events are not read yet; the list may grow.": "{n} event is not read yet; the list may grow.",
    "{n} events": "{n} event", "{n} prompts": "{n} prompt", "{n} memories": "{n} memory", "{n} tokens": "{n} token",
    "{n} events unread": "{n} event unread", "{n} files wait in the spool": "{n} file waits in the spool",
    "{n} links": "{n} link", "{n} files were left out": "{n} file was left out", "{n} hours": "{n} hour",
    "{n} events may join": "{n} event may join", "used {n} times": "used once", "{n} minutes": "{n} minute",
    "kept for {n} days": "kept for {n} day",
    "{n} checks must wait until the database can be read.": "{n} check must wait until the database can be read.",
    "{n} memories are older than {days} days, and would be forgotten for good.":
        "{n} memory is older than {days} days, and would be forgotten for good.",
}  # fmt: skip

KOREAN = {
    # -- frame
    "Skip to the content": "본문으로 건너뛰기", "Pages": "페이지", "Live": "실시간", "Not connected": "연결되지 않음",
    "Overview": "개요", "Search": "검색", "Session": "세션", "Sessions": "세션", "Statement": "진술",
    "Statements": "진술", "Tasks": "할 일", "Memories": "기억", "Memory": "기억", "Preferences": "선호",
    "Review": "검토", "Project graph": "프로젝트 그래프", "Doctor": "점검", "Settings": "설정", "Node": "노드",
    "Proposal": "제안", "Repair": "고치기", "Nothing is here yet": "아직 아무것도 없습니다",
    "This did not work": "처리하지 못했습니다", "To the overview": "개요로 가기",
    # -- nothing yet
    "Nothing has been remembered in this project yet.": "이 프로젝트에는 아직 기억한 것이 없습니다.",
    "Begin in a terminal, in this folder:": "이 폴더의 터미널에서 시작하세요:",
    "What happens then": "그다음에는",
    "Past sessions that your agent wrote to disk are brought in.":
        "에이전트가 디스크에 남긴 지난 세션을 가져옵니다.",
    "Hooks keep what is said and done from then on; secrets are masked before anything is written.":
        "그 뒤로는 훅이 나눈 말과 한 일을 기억합니다. 비밀은 쓰기 전에 가립니다.",
    "This page shows it, and an agent is told what it needs.":
        "이 페이지에서 볼 수 있고, 에이전트에게는 필요한 것을 알려 줍니다.",
    # -- overview
    "Needs attention": "살펴볼 것", "Events": "사건", "since": "처음", "last": "마지막",
    "Open tasks": "남은 할 일", "Questions asked": "물은 질문", "Lost": "잃은 것", "Activity": "활동",
    "everything is read": "모두 읽었습니다", "As a table": "표로 보기", "day": "날짜", "Latest": "최근",
    "No event yet.": "아직 사건이 없습니다.",
    "Talk to your agent; what is said appears here.": "에이전트와 이야기하면 여기에 나타납니다.",
    "What recall was used for": "기억을 찾은 질문", "nothing fitted": "맞는 기억 없음",
    "Nobody has asked yet.": "아직 아무도 묻지 않았습니다.",
    "Agents ask with every prompt once the hooks are installed; you can ask here or with":
        "훅을 설치하면 에이전트가 프롬프트마다 묻습니다. 여기나 명령으로 물을 수도 있습니다:",
    "asked by": "물은 곳", "questions": "질문", "answered": "답함", "tokens": "토큰", "Storage": "저장 공간",
    "in all": "모두", "kept until you forget it": "지울 때까지 보관", "Agents": "에이전트",
    "is not here": "이 컴퓨터에 없음", "not installed": "설치되지 않음", "installed": "설치됨",
    "open /hooks in it, and trust them": "그 안에서 /hooks를 열어 신뢰해 주세요", "excluded": "제외", "home": "홈",
    "Events of each day, {most} at most": "날마다의 사건, 가장 많은 날 {most}건", "{n} in all": "모두 {n}개",
    "{n} forgotten": "잊은 것 {n}건", "{n} events unread": "아직 읽지 않은 사건 {n}건", "{n} answered": "{n}번 답함",
    "{n} tokens": "토큰 {n}개", "{n} files wait in the spool": "스풀에 기다리는 파일 {n}개",
    "{n} memories": "기억 {n}개", "kept for {n} days": "{n}일 동안 보관", "{n} events": "사건 {n}건",
    "{n} prompts": "프롬프트 {n}건",
    "face hook": "훅", "face cli": "명령줄", "face mcp": "에이전트(MCP)", "face web": "이 페이지",
    "part database": "데이터베이스", "part wal": "쓰기 로그", "part spool": "스풀", "part backups": "백업",
    "part log": "로그", "part vectors": "벡터",
    "Meaning": "의미 검색", "in use": "사용 중", "done": "완료", "{n} minutes": "{n}분",
    "jobs pending": "대기", "jobs processing": "처리 중", "jobs failed": "실패", "jobs done": "완료",
    "Everything is found by words.": "낱말로만 찾습니다.", "To find by meaning too:": "뜻으로도 찾으려면:",
    "oldest waiting": "가장 오래 기다린 것", "mean time": "평균 처리 시간", "off": "끔", "on": "켬",
    # -- kinds and states
    "prompt": "프롬프트", "response": "응답", "tool": "도구", "summary": "요약", "note": "메모", "other": "그 밖",
    "fact": "사실", "decision": "결정", "insight": "통찰", "task_note": "할 일 메모", "reference": "참고",
    "task": "할 일", "condition": "조건", "artifact": "산출물", "raw": "날것", "working": "작업 중",
    "candidate": "후보", "verified": "검증됨", "certified": "보증됨", "active": "유효", "contested": "다툼",
    "deprecated": "낡음", "superseded": "대체됨", "pending": "대기", "in_progress": "진행 중", "blocked": "막힘",
    "cancelled": "취소", "open": "열림", "resolved": "해결", "accepted": "승인", "rejected": "반려",
    "all": "전체", "unfinished": "끝나지 않은 것", "low": "낮음", "medium": "중간", "high": "높음",
    "normal": "보통", "urgent": "급함", "hypothesis": "가설", "dead_end": "막다른 길", "stated": "진술됨",
    "fresh": "유효", "stale": "오래됨", "conflicting": "충돌", "expired": "기한 지남", "not_yet": "아직 아님",
    "component": "구성 요소", "constraint": "제약", "risk": "위험", "verification": "검증", "episode": "일화",
    "error": "오류", "warning": "경고", "errors": "오류", "warnings": "경고", "notes": "참고",
    "origin person": "사람이 한 말", "origin agent": "에이전트가 한 말", "origin tool": "도구의 출력",
    "origin web": "웹의 글", "origin import": "호스트의 메모",
    "method exact": "글자 그대로", "method normalized": "띄어쓰기·대소문자만 다름", "method fuzzy": "거의 같음",
    "method failed": "찾지 못함",
    # -- search
    "By words and by meaning, in Korean and English. What people accepted comes first, then statements, then what was"
    " said.": "낱말과 뜻으로, 한국어와 영어로 찾습니다. 사람이 승인한 것, 진술, 나눈 말의 순서로 보여 줍니다.",
    "Question": "질문", "Why do we retry three times?": "왜 세 번 재시도하나요?", "Only some": "일부만 찾기",
    "Kind": "종류", "From": "언제부터", "Until": "언제까지", "File": "파일", "Branch": "브랜치",
    "7d, yesterday": "7일, 어제", "how sure this answers": "이것이 답일 확신도",
    "sure to {n} of 100": "확신도 100 중 {n}", "Why here": "순위의 이유", "Answers": "답",
    "Nothing is remembered about this.": "이에 관해 기억한 것이 없습니다.",
    "Ask in other words, or with fewer filters.": "다른 말로, 또는 조건을 줄여서 물어보세요.",
    "Ask in other words.": "다른 말로 물어보세요.", "Weak matches": "약한 일치",
    "An agent is not told these: they fit the question less well than recall.minConfidence asks.":
        "recall.minConfidence보다 덜 맞아서 에이전트에게는 알려 주지 않습니다.",
    "Try": "이렇게 물어보세요", "what did we decide about retries": "재시도에 관해 무엇을 정했지",
    "which command runs the tests": "테스트를 돌리는 명령은 무엇이지", "to the question": "질문으로",
    "down and up the list": "목록 아래·위로", "opens": "열기",
    "not merged": "병합되지 않음",
    "by words alone": "낱말로만", "score": "점수", "matched": "맞은 낱말", "cosine": "코사인", "kin of": "친척:",
    "why words": "낱말", "why close_together": "가까이 있음", "why meaning": "뜻", "why kin": "친척",
    "why file": "다룬 파일",
    "why neighbours": "앞뒤의 말", "why session": "세션", "times kind": "누가 한 말인지",
    "times recency": "최근", "times question": "되묻는 말", "times folder": "이 폴더", "times speaker": "물은 사람",
    "times time": "때를 말함",
    # -- sessions and memories
    "Something new was remembered.": "새로 기억한 것이 있습니다.", "Show it": "보기", "forgotten": "잊음",
    "Newer": "더 최근", "Older": "더 예전", "Earlier": "앞으로", "Later": "뒤로",
    "No session is stored yet.": "아직 저장된 세션이 없습니다.",
    "Bring in what your agent wrote to disk:": "에이전트가 디스크에 남긴 것을 가져오세요:",
    "session": "세션", "agent": "에이전트", "when": "언제", "branches": "브랜치", "subagent": "하위 에이전트",
    "subagents": "하위 에이전트", "forked from": "갈라져 나온 곳", "events": "사건", "Timeline": "시간 순서",
    "Forgotten; its text is gone.": "잊었으며, 글은 남아 있지 않습니다.", "Text": "글",
    "The text is longer; `pith show` prints all of it.": "글이 더 깁니다. `pith show`로 모두 볼 수 있습니다.",
    "About it": "이 기억에 관해", "what": "무엇", "branch": "브랜치", "directory": "폴더", "command": "명령",
    "files": "파일", "exit": "종료 코드", "Stated in it": "여기서 나온 진술",
    "No statement was drawn from it.": "여기서 나온 진술이 없습니다.", "Around it": "앞뒤의 일",
    # -- statements
    "What was stated in sessions: facts, decisions, insights. Each rests on words that were said, and can be superseded"
    " or contested by later ones.":
        "세션에서 나온 사실, 결정, 통찰입니다. 실제로 한 말에 근거하며, 나중 진술이 대체하거나 다툴 수 있습니다.",
    "choose type": "종류", "choose stage": "단계", "choose status": "상태", "Show": "보기",
    "active and contested": "유효한 것과 다툼이 있는 것",
    "Nothing like that has been stated yet.": "그런 진술은 아직 없습니다.",
    "Statements are drawn from what is said:": "진술은 나눈 말에서 뽑습니다:",
    "Superseded by": "다음으로 대체됨:", "Contradicts": "다음과 어긋남:", "Supersedes": "다음을 대체함:",
    "Evidence": "근거", "Open where it was said": "말한 곳 열기",
    "What was said there is forgotten, or the quote was never found in it.":
        "그 말은 잊었거나, 인용을 그 안에서 찾지 못했습니다.",
    "This names no event.": "사건을 가리키지 않습니다.", "It quotes nothing.": "인용이 없습니다.",
    "What it is about": "무엇에 관한 것인지", "How it came to stand here": "지금에 이른 과정",
    "It stands as it was stated.": "처음 그대로입니다.", "Came from, led to": "나온 곳과 이어진 곳",
    # -- tasks
    "What is to be done, drawn from what was said, and what effectively stands in its way.":
        "나눈 말에서 뽑은 할 일과, 실제로 막고 있는 것입니다.",
    "state": "상태", "What waits for what": "무엇이 무엇을 기다리나", "waits for": "기다리는 것:",
    "There are more.": "더 있습니다.", "No such task is known.": "그런 할 일이 없습니다.",
    "Tasks are drawn from what is said; you can make one:": "할 일은 나눈 말에서 뽑습니다. 직접 만들 수도 있습니다:",
    "Conditions": "조건", "priority": "우선순위", "settled by": "해결 근거", "address": "주소",
    "also called": "다른 이름", "Waits for": "기다리는 것", "May wait for": "기다릴지도 모르는 것",
    "Stands in the way of": "막고 있는 것", "What proves it": "근거가 되는 진술",
    # -- review
    "What a finished quest taught is proposed, and becomes project memory only when a person accepts it.":
        "끝난 퀘스트에서 배운 것을 제안하며, 사람이 승인해야만 프로젝트 기억이 됩니다.",
    "Proposals": "제안", "confidence": "확신", "No proposal waits.": "기다리는 제안이 없습니다.",
    "No proposal is here.": "제안이 없습니다.",
    "When a quest is done, propose what it taught:": "퀘스트를 마치면 배운 것을 제안하세요:",
    "An agent started this page ({variable}); only a person may accept. Run `pith dashboard` in a terminal of your"
    " own.":
        "에이전트가 이 페이지를 열었습니다({variable}). 승인은 사람만 할 수 있으니, 직접 쓰는 터미널에서"
        " `pith dashboard`를 실행하세요.",
    "What is to be remembered": "기억할 것", "Why": "이유", "What it changes of": "무엇을 바꾸는지:",
    "Statements it rests on": "근거가 되는 진술", "stands in somebody else's store": "다른 사람의 저장소에 있음",
    "Fields and links": "항목과 연결", "source quest": "출처 퀘스트", "Decide": "결정", "Accept": "승인",
    "Reject": "반려", "Reason, if you reject it": "반려하는 이유", "Edit it first": "먼저 고치기",
    "Confidence": "확신", "Save the changes": "저장",
    "With the keyboard: a, r or e go to the button or the text, Enter does it, Esc leaves a text.":
        "키보드: a, r, e로 단추나 글로 가고, Enter로 실행하며, Esc로 글에서 나옵니다.",
    "It was decided:": "결정됨:",
    "Commit .orange-hyper together with the work it belongs to.": ".orange-hyper를 관련 작업과 함께 커밋하세요.",
    "Accepted: it is project memory now.": "승인했습니다. 이제 프로젝트 기억입니다.",
    "Rejected: no memory came of it.": "반려했습니다. 기억으로 남지 않습니다.",
    "The changes are saved.": "저장했습니다.", "Nothing was changed.": "바뀐 것이 없습니다.",
    "The setting is saved.": "설정을 저장했습니다.",
    "The setting is taken back; what is weaker holds again.": "설정을 거두었습니다. 더 약한 값이 다시 쓰입니다.",
    "Confirmed: it holds from now on.": "확인했습니다. 지금부터 지킵니다.",
    "Withdrawn: it holds no more.": "거두었습니다. 더는 지키지 않습니다.",
    # -- memories
    "What belongs together is put into memories, so that a new session begins where the last one stopped.":
        "함께할 일을 기억으로 모아, 새 세션이 지난 세션이 멈춘 곳에서 시작하게 합니다.",
    "Mode": "방식", "mode endless": "이어짐", "mode session": "세션별", "Working set": "작업 집합",
    "of at most {n}": "최대 {n}건", "{n} hours": "{n}시간", "Continuity": "연속성",
    "continuity seamless": "그대로 이어짐", "continuity topic_shift": "주제가 바뀜", "continuity break": "새로 시작",
    "continuity unknown": "앞선 일 없음", "the work goes on where it stopped": "멈춘 곳에서 이어 갑니다",
    "the work goes on, with another topic": "다른 주제로 이어 갑니다",
    "something else was begun": "다른 일을 시작했습니다",
    "nothing went before": "앞선 일이 없습니다", "{n} events may join": "모을 수 있는 사건 {n}건",
    "Consolidated": "모은 때", "not yet": "아직", "due now": "지금 할 때",
    "Endless mode is off: sessions are remembered one by one.": "이어짐 방식이 꺼져 있어 세션마다 따로 기억합니다.",
    "The last 24 hours": "지난 24시간", "memory made": "만든 기억", "As a list": "목록으로 보기",
    "Nothing happened in the last 24 hours.": "지난 24시간 동안 아무 일도 없었습니다.",
    "In the working set": "작업 집합에 있는 것", "relevant to {n} of 100": "관련도 100 중 {n}",
    "Consolidated memories": "모은 기억", "reliable to {n} of 100": "믿음직함 100 중 {n}", "Show more": "더 보기",
    "No memory was consolidated yet.": "아직 모은 기억이 없습니다.",
    "Three events about the same make one; begin with": "같은 일에 관한 사건 셋이 기억 하나가 됩니다. 시작하려면",
    "used {n} times": "{n}번 쓰임", "What it was made of": "무엇으로 만들었는지",
    # -- preferences
    "What you want always or never. It is found in what you said; only what you confirm is told to every session.":
        "늘 또는 절대 바라는 것입니다. 하신 말에서 찾으며, 확인한 것만 모든 세션에 알려 줍니다.",
    "An agent started this page ({variable}); only a person may decide. Run `pith dashboard` in a terminal of your"
    " own.":
        "에이전트가 이 페이지를 열었습니다({variable}). 결정은 사람만 할 수 있으니, 직접 쓰는 터미널에서"
        " `pith dashboard`를 실행하세요.",
    "Not every prompt was read yet; reload the page to go on.":
        "아직 읽지 않은 프롬프트가 있습니다. 새로 고치면 이어서 읽습니다.",
    "{n} events are not read yet; the list may grow.": "아직 읽지 않은 사건이 {n}건 있어 목록이 늘 수 있습니다.",
    "Is this meant to hold?": "앞으로 지킬까요?", "Holds": "지키는 것", "Confirm": "확인", "Withdraw": "거두기",
    "Not meant so": "그런 뜻이 아님", "Nothing was confirmed yet.": "아직 확인한 것이 없습니다.",
    "Say it to your agent with “always” or “never”, or write it below.":
        "에이전트에게 “앞으로는”, “항상”처럼 말하거나 아래에 적으세요.",
    "Add one": "더하기", "In one sentence": "한 문장으로", "Add": "더하기", "Withdrawn": "거둔 것",
    "Always run the tests before you commit.": "커밋하기 전에 항상 테스트를 돌려 주세요.",
    "scope project": "이 프로젝트", "scope everywhere": "내 모든 프로젝트",
    # -- graph
    "What people accepted. Each is one Markdown file in git, with what it rests on.":
        "사람이 승인한 것입니다. 저마다 git 안의 Markdown 파일 하나이며 근거를 담고 있습니다.",
    "Open the map": "지도 열기", "{n} files were left out": "제외한 파일 {n}개", "Accepted": "승인됨",
    "{n} links": "연결 {n}개", "Words": "낱말", "State": "상태", "Nodes": "노드",
    "Nothing fits these filters.": "조건에 맞는 것이 없습니다.",
    "No memory is accepted yet.": "아직 승인된 기억이 없습니다.",
    "Complete a quest, propose what it taught, then accept what is worth keeping:":
        "퀘스트를 마치고 배운 것을 제안한 뒤, 간직할 것을 승인하세요:",
    "Where it comes from": "어디서 왔는지", "quest": "퀘스트", "proposal": "제안", "file": "파일", "Links": "연결",
    "It is linked with nothing.": "연결된 것이 없습니다.", "The file": "파일 내용",
    "accepted_by": "승인한 사람", "accepted_via": "승인한 곳",
    # -- doctor
    "Proves that the store, the index, the hooks and project memory are whole, and repairs what can be repaired"
    " safely.": "저장소, 색인, 훅, 프로젝트 기억이 온전한지 확인하고, 안전하게 고칠 수 있는 것을 고칩니다.",
    "Examine now": "지금 점검", "Examining…": "점검하는 중…", "Checks made": "점검 항목", "Findings": "발견한 것",
    "Repair…": "고치기…", "All {n} checks passed.": "점검 {n}개를 모두 통과했습니다.",
    "{n} checks must wait until the database can be read.": "데이터베이스를 읽을 수 있을 때까지 점검 {n}개를 미룹니다.",
    "Not examined yet.": "아직 점검하지 않았습니다.",
    "It takes some seconds on a large store; in a terminal:": "큰 저장소에서는 몇 초 걸립니다. 터미널에서는:",
    "Repair this?": "고칠까요?", "What it puts right:": "바로잡는 것:", "Leave it": "그대로 두기",
    # -- settings
    "Strong to weak: the environment, this project, your home, what the repository suggests.":
        "강한 순서: 환경 변수, 이 프로젝트, 내 홈, 저장소의 제안.",
    "default": "기본값", "value": "값", "with commas": "쉼표로 구분", "for": "적용 범위",
    "this project": "이 프로젝트", "all my projects": "내 모든 프로젝트", "Set": "저장", "Take back": "거두기",
    "Files": "파일", "Nothing is set in any file.": "어느 파일에도 설정이 없습니다.",
    "source environment": "환경 변수", "source project": "이 프로젝트", "source home": "내 홈",
    "source shared": "저장소", "source default": "기본값",
    "Forget for good?": "영영 잊을까요?",
    "{n} memories are older than {days} days, and would be forgotten for good.":
        "{days}일이 지난 기억 {n}개를 영영 잊게 됩니다.",
    "in {n} projects": "프로젝트 {n}개에서", "Set it, and forget them": "저장하고 잊기",
}  # fmt: skip
