# ruff: noqa: E501 -- a pattern is easier to read in one line than broken where a line ends
"""The words by which a sentence shows what it is: tables for English and Korean, read by extraction.py.

A cue alone proves little; each table is strict where a wrong reading would state something that nobody said. Patterns are
matched against one sentence, casefolded.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


# -- What states nothing -------------------------------------------------------------------------------------

QUESTION = _any(
    r"[?？]\W*$",
    r"^(?:why|what|how|when|where|who|which|is|are|was|were|do|does|did|can|could|should|would|will|has|have|may)\s+"
    r"(?:it|this|that|the|we|you|i|they|there|about|if|is|are|was|does|do|did)\b.*(?:$)(?<![.:])",
    r"\b(?:i wonder|wondering) (?:if|whether|why|how|what)\b",
    r"(?:까|까요|나요|는가|은가|인가|는지요|을래|할래|줄래|거지|거야|건가|건지|뭐야|뭐지|맞아|맞나|어때|어떨까)\s*[.…]*$",
    r"(?:야|하) 하나\b|고민(?:이네|이야|입니다|중)",
)
REQUEST = _any(
    r"^(?:please|could you|can you|would you|will you|go ahead|have a look|take a look)\b",
    r"(?:해|아|어|여|와|봐|줘|려) ?(?:줘|주세요|주시|줄래|주라|달라|다오)(?:요)?\s*[.!…]*$",
    r"(?:하세요|해요|하십시오|해라|해봐|해 봐|부탁(?:해|합니다|드립니다)|바랍니다)\s*[.!…]*$",
)
CONDITIONAL = _any(
    r"^(?:if|suppose|supposing|assuming|unless|in case|whether|imagine|when you|what if|had we)\b",
    r"^(?:만약|만일|혹시|가령)",
    r"(?:^|[ ,])[가-힣]*(?:[으이하되라다][면]|었더라면|했더라면|없으면|있으면|다면|라면|거든)[ ,]",
)
INTENT = _any(
    r"^(?:(?:now|next|first|then|ok|okay|so|also|sure|right|great|good|alright|and|again)[, ]+)*"
    r"(?:i(?:'ll|’ll| will| am going to|'m going to| can| could| would| want to| need to| should| have (?:to|now|updated"
    r"|added|fixed|changed)|'d)|let me|let us (?:look|check|see)|allow me|here is what|here's what|checking|looking"
    r"|reading|running|starting)\b",
    r"\b(?:let me|i'll|i’ll|i will|i would|i'd (?:suggest|recommend|propose))\b",
    r"^let(?:'|’)s (?:look|check|see|try|start|begin|take|find|read|examine|verify|inspect|open|think|go ahead|first"
    r"|continue|proceed|test|debug|investigate|dig|figure|review|run the tests?)\b",
    r"겠(?:습니다|어요|다|네요|지요|죠)|(?:할게|볼게|릴게|을게|갈게|둘게)(?:요)?|(?:보|살펴보|확인하|읽)는 중|시다\s*[.!]*$",
    r"(?:추천|제안|권장)(?:드리|드립|합니다|하지만)|^(?:proposal|suggestion|plan|idea|제안|계획)\s*[:：]|드립니다\s*[.!]*$",
    r"(?:이어서|계속|다시|같이|이제|먼저|그렇게|그냥|그대로|진행|시작) ?(?:하자|가자|두자)\s*[.!…]*$",
    r"(?:보|살펴보|확인하|읽어보|해보|해 보|알아보|찾아보|시작하|생각해 보)(?:자|죠|지요)\s*[.!…]*$",
)
OPTION = _any(
    r"\b(?:we|you|one) (?:could|can|may|might|should)\b", r"\b(?:two|three|several|some) options\b", r"\beither\b.*\bor\b",
    r"\bdepends on\b",
    r"수도 있고", r"선택지|방법은 (?:두|세|여러)", r"중 하나를 (?:고르|선택)", r"에 따라 (?:다르|다릅)",
)  # fmt: skip

# -- How sure it is ------------------------------------------------------------------------------------------

HYPOTHESIS = _any(
    r"\b(?:maybe|perhaps|probably|presumably|possibly|supposedly|conceivably)\b",
    r"\bi (?:think|suspect|guess|believe|assume|suppose|have a feeling)\b",
    r"\b(?:my|our|one|a|the) (?:guess|hunch|suspicion|theory|hypothesis)\b",
    r"\b(?:might|may|could) (?:well )?(?:be|have been) (?:a|an|due|caused|related|because|that|the (?:cause|reason|problem"
    r"|culprit)|\w+ing)\b",
    r"\b(?:it|this|that|which) (?:seems|looks like|looks as if|appears)\b",
    r"\b(?:seems|appears) (?:to|that|like)\b", r"\b(?:is|are|was|were) (?:most )?likely\b", r"\bnot (?:quite )?sure\b",
    r"(?:^|[ ,])아마(?:도)?[ ,]", r"[ㄴ은는인을를할던] ?것 ?같(?!은 |이)", r"듯(?:하|합|싶|해|한데|해요|합니다|$)",
    r"수도 있(?:다|습|어|을|는데|지)", r"추정|짐작|의심(?:된|됩|스|이)|추측", r"아닐까|지도? 모(?:른|르|릅)|가능성이 (?:있|높|크)",
)  # fmt: skip
OPINION = _any(r"\bwe should\b|\bshould we\b|\bgood idea\b|\bgreat\b|\bnice\b", r"(?:좋|괜찮|나은|맞는|될) ?것 ?같")

TRIED = _any(
    r"\b(?:tried|trying|attempt(?:ed|ing)?|experimented)\b",
    r"^(?:(?:just|only|simply|merely|even) )?\w+ing\b",
    r"\b(?:first|second|earlier|previous|other|this|that|our|my) (?:attempt|try|approach|fix|idea|version)\b",
    r"\bi (?:set|added|raised|lowered|changed|removed|disabled|enabled|replaced|increased|reverted|switched|moved)\b.*\bbut\b",
    r"(?:해|어|아|여|와|려|춰|꿔|켜|꺼|쳐|봐)[ ]?(?:봤|보았|봐도|보아도|보니 안)", r"시도(?:했|해|는|로|를|가)", r"해 ?봐도",
    r"\b\w+ alone\b", r"\b(?:either|neither)\b", r"[가-힣]만으로는", r"[해어아여려꿔춰려켜꺼여]도 .*(?:소용|효과|안 |여전|그대로|마찬가지|변화)",
)  # fmt: skip
FAILED = _any(
    r"\b(?:did not|didn't|didn’t|does not|doesn't|doesn’t|do not|don't|won't|would not|could not|couldn't) (?:really )?"
    r"(?:help|work|fix|solve|change anything|change a thing|make (?:a|any) difference|resolve|do the trick|improve|stop)\b",
    r"\b(?:no|little) (?:difference|effect|improvement|luck|change|use)\b", r"\bto no avail\b", r"\bwithout (?:success|effect)\b",
    r"\b(?:failed (?:because|with|as|too|since|when)|in vain|dead end|no good|not enough)\b",
    r"\b(?:attempt|try|approach|fix|idea)\b[^:]*\bfailed\b|\bdid not (?:prevent|catch|remove|avoid|reduce|cure)\b", r"\bstill (?:fails|failed|broken|the same|happens|crashes|times out)\b",
    r"안 (?:됐|되었|되|됩|돼|먹|통)", r"되지 않|지 못했|막지 못|듣지 않", r"(?:효과|차이|소용|변화|진전|의미)(?:가|는|도|이)? ?없",
    r"실패(?:했|하|로)", r"그대로(?:였|이|다|입)|마찬가지", r"해결(?:되지|이 안|은 안|하지 못)",
)  # fmt: skip

# -- What was learned ----------------------------------------------------------------------------------------

_THING = r"(?:cause|reason|problem|issue|culprit|bug|failure|error|trouble|explanation|catch|difference|slowdown)"
LEARNED = _any(
    r"\b(?:it )?turn(?:s|ed) out\b", r"\bas it turn(?:s|ed) out\b",
    r"\broot cause (?:is|was|turned|lies|lay|of)\b", rf"^(?:and |so |but )?(?:the|its|our) (?:\w+ ){{0,3}}{_THING} (?:is|was|were|lies|lay)\b",
    r"\b(?:was|is|were|are|been) (?:caused|triggered|provoked) by\b", r"\b(?:came|comes|stems|stemmed) from\b.*\bnot\b|\b(?:was|were) due to\b",
    r"^what (?:broke|caused|slowed|triggered|killed|blocked) .*\b(?:was|is)\b", r"(?:범인|탓|화근|발단)은 .*(?:었|였|다)", r"^결국 .*(?:것이었|거였|때문이|탓이)", r"\bthe reason (?:for|why|that)\b.*\b(?:is|was)\b",
    r"알고 ?보(?:니|면)", r"(?:확인|조사|추적|디버깅|분석|비교|측정|파악)해 ?보니", r"(?:살펴|찾아|들여다|파|까|뜯어) ?보니",
    r"(?:근본|진짜|실제)? ?원인은", r"원인이 .*(?:이었|였|입니다|이다|밝혀|드러)", r"이유는 .*(?:때문|것|탓|덕)", r"문제는 .*(?:것|때문|점|였|이었|탓)",
    r"(?:으로|로|라는 것이|다는 것이) (?:밝혀졌|드러났|확인됐|확인되었)",
)  # fmt: skip
BECAUSE = _any(
    r"\bbecause\b|\bdue to\b|\bsince\b.*\b(?:was|were|is|are|had|\w+ed)\b",
    r"(?:때문|탓)(?:에|이|이었|이다|입니다|인|으로)", r"(?:[아어여해써려라]서) .* ?(?:것이었|거였|것이다|겁니다)",
    r"기 때문에 .*(?:[겼났었았였했됐졌렸])(?:다|습니다|어요)\s*[.!]*$", r"[아어여해]서 .*거였",
)  # fmt: skip
SYMPTOM = _any(
    r"\b(?:happened|occurred|appeared|ignored|doubled|duplicated|slow|flaky|fail(?:s|ed|ing)?|broke(?:n)?|breaks|crash(?:es|ed|ing)?|hang(?:s|ing)?|hung|stuck|time[sd]? out"
    r"|timing out|timeout|leak(?:s|ed|ing)?|deadlock(?:s|ed)?|wrong|missing|lost|empty|stale|rejected|refused|stopp?(?:s|ed))\b",
    r"느리|느렸|느려|실패|멈|불안정|깨[졌지]|오류|에러|안 (?:됐|되)|못 |못했|죽[었는]|끊[겼기어]|누락|사라|빠[졌지]|잘못|꼬[였이]|막[혔히]"
    r"|늦[었어]|지연|초과|중단|생겼|발생|무시|이중|중복|겹[쳤치]|틀[렸린]",
)  # fmt: skip

# -- What was decided ----------------------------------------------------------------------------------------

DECIDED = _any(
    r"\b(?:we|i|they|the team|the user|everybody|everyone)(?:'ve|’ve| have| has| had)? (?:all )?(?:also )?(?:finally )?"
    r"(?:decided|agreed|chose|chosen|settled|opted|picked|resolved to|committed to)\b",
    r"\b(?:the )?(?:team|user|group|client|customer) (?:decided|agreed|chose|settled|opted|picked)\b",
    r"\bit (?:was|has been|is) (?:decided|agreed)\b", r"^(?:decisions?|rule|policy|convention|chosen|agreed)\b[^:：]{0,30}[:：]", r"\bwe decide\s*[:：]", r"\bwe(?:'re|’re| are)? stick(?:ing)? (?:with|to)\b",
    r"^instead of .*\bwe(?:'re|’re| are| will|'ll) \w+", r"\bthe decision (?:is|was) (?:to|that)\b",
    r"\b(?:i|we) (?:went|are going|'re going|go|will go) with\b", r"\bfrom now on\b", r"\bgoing forward,? we\b",
    r"\bwe(?:'re|’re| are) (?:dropping|moving|switching|migrating|replacing|standardi[sz]ing|abandoning|deprecating|keeping"
    r"|sticking|adopting|retiring)\b",
    r"기로 (?:\S+ )?(?:했|합의|결정)", r"쪽으로 (?:갑니다|간다|갔|가기로)", r"^(?:규칙|원칙|정책|방침|선택한 방식|결정 ?사항|합의)[^:：]{0,12}[:：]",
    r"기로 ?(?:했|하자|하고|하였|함|결정|합의|정했|정하|됐|되었|한다|합니다|해)", r"(?:방식|방향|쪽|안|것|걸|거|기준)(?:으로|로) ?(?:정했|정하|결정|확정|하자"
    r"|가자|합의|하기로|갑시다|했다|했습니다)",
    r"(?:으로|로) (?:결정|확정|합의)(?:했|됐|되었|하|함|한다)", r"^(?:결정|결론)\s*[:：]", r"(?:을|를) (?:채택|선택)(?:했|하기로|하였)",
)  # fmt: skip
# Only a person sets rules in these forms.
RULED = _any(
    r"^i (?:do not|don't|don’t|never) want (?!to )",
    r"^no more \w+ \w+",
    r"^no \w+ (?:in|on|from|for|without) \w+",
    r"(?:더 ?이상|앞으로|당분간|절대) .*(?:않는다|안 쓴다|안 한다|금지(?:다|한다)?)\s*[.!]*$",
    r"^\S.*(?:은|는|로|대신|말고|마다|에서) .*[가-힣](?<!사용)(?<!개발)(?<!관리)(?<!담당)(?<!작성)(?<!운영)(?<!소비)(?<!제공)(?<!구매)(?<!문)(?<!숫)자\s*[.!]*$",
    r"^(?:and |also |but )?(?:always|never|only ever) \w+",
    r"^(?:and |also |but )?use [^.]+(?:, not |,? instead of |,? rather than | and not )",
    r"^(?:and |also |but )?prefer [^.]+ (?:over|to) ",
    r"^앞으로(?:는|도|부터)?[ ,].*(?:다|자|마|것|요|기|줘|세요)\s*[.!]*$",
    r"(?:^|[ ,])절대(?:로)?[ ,].*(?:말자|마라|마|말 것|않는다|금지|말아)(?:요)?\s*[.!]*$",
    r"(?:^|[ ,])(?:항상|무조건|반드시) .*(?:자|할 것|한다|해라|하도록)\s*[.!]*$",
    r"(?:말고|대신) .*(?:쓰자|써|쓴다|하자|가자|두자|바꾸자|사용하자|돌리자|넣자)\s*[.!]*$",
    r"(?:쓰|하|가|두|말|넣|빼|바꾸|옮기|돌리|나누|합치|지우|남기|맞추|올리|내리|막|버리|유지하|사용하|미루)자\s*[.!]*$",
)
PROPOSED = _any(r"^(?:ok(?:ay)?[,. ]+|yes[,. ]+|so[, ]+|then[, ]+)*let(?:'|’)s (?:not )?\w+", r"^we (?:will|'ll|’ll|won't|will not) \w+",
                r"^we(?:'ll|’ll) \w+")  # fmt: skip
CONTRAST = _any(r"\binstead of\b|\brather than\b|,? not \b|\bno longer\b|\binstead\b", r"대신|말고|아니라")
FOR_NOW = _any(
    r"\b(?:yet|for now|right now|this time|today|for a moment|at the moment|first)\b",
    r"아직|지금은|이번에|일단|당장|우선|잠깐",
)

# -- What is to be done --------------------------------------------------------------------------------------

TO_DO = _any(
    r"^(?:todo|to do|fixme|follow-?up|action item|open(?: point| question)?s?)\b\s*(?:\([^)]*\))?\s*[:：\-]",
    r"^(?:the )?(?:next step|next steps|next task|remaining(?: work| tasks?)?|left to do|still open|still missing|outstanding|not done"
    r" yet|not yet done|pending)\s*(?:[:：]|is\b|are\b)",
    r"\bstill (?:need|needs|have|has) to\b", r"^(?:don't|don’t|do not) forget to\b|^remember to\b", r"잊지 (?:마|말)", r"\bstill (?:needs|missing|to be|to do|open)\b", r"\b(?:remains|left) to\b", r"\byet to be\b",
    r"\b(?:needs|has|have) (?:yet )?to be \w+ed\b", r"^(?:we|somebody|someone) (?:have|has|need|needs) to\b",
    r"^(?:todo|할 ?일|남은 ?(?:일|작업|과제|것)|다음 ?(?:할 ?일|작업|단계)|후속 ?작업|미완료|미완|미해결|미결|아직 ?안 ?한 ?(?:일|것))\s*(?:[:：\-]|은|는|으로는)",
    r"(?:일|작업|과제|단계)(?:이|가|은|는|만)? 남(?:아 ?있|았|아)", r"[가-힣]야 ?(?:한다|합니다|함|해|돼|된다|됩니다|할 것)(?:요)?\s*[.!]*$",
    r"아직 .*(?:안 했|못 했|하지 못|하지 않|안 됐|남아)",
)  # fmt: skip
OWN_TO_DO = _any(r"^(?:i|now i|first i) (?:need|have) to\b", r"^(?:you|users?|one) (?:must|need|have)")

BLOCKED = _any(
    r"\b(?:is|are|was|still|remains?|currently|got|be) (?:still )?blocked (?:by|on|until)\b", r"^blocked (?:by|on)\b", r"\b(?:is|are|remains?) (?:still )?blocked\s*[:：]",
    r"\b(?:is|are|am|still|i'm|we're|i’m|we’re)(?: still| also)? (?:waiting (?:for|on)|stuck (?:on|until|waiting))\b",
    r"\b(?:can't|cannot|can’t|can not) (?:\w+ ){1,6}until\b", r"^waiting (?:for|on) (?!the (?:test|build|server|command))",
    r"막혀 ?(?:있|서|버)|막혔(?:다|습|어)", r"기다리(?:는 ?중|고 ?있)", r"때까지 (?:대기|기다|진행할 수 없|못)", r"기 전(?:까지|에)는 .*(?:수 없|못)", r"기다려야",
    r"(?:없어서|때문에|탓에) .*(?:멈춰|보류|중단(?:돼|되어)?|지연(?:돼|되어)?) ?(?:있|중)", r"대기 ?(?:중|하고 ?있|상태)",
)  # fmt: skip
# What waits for a moment while somebody watches is no blocked task.
PASSING = _any(
    r"\b(?:thread|process|goroutine|coroutine|request|query|call|transaction|loop|connection|worker|port|pod|container|job|lock|mutex"
    r"|ui|event loop)s? (?:is|are|was) (?:blocked|waiting|stuck)\b",
    r"\bwaiting (?:for|on) (?:the )?(?:tests?|build|server|command|process|output|response|it|this|that|lock|install|job|container|page"
    r"|result|results|run|download|user input|input)\b(?! from)",
    r"(?:스레드|프로세스|요청|쿼리|트랜잭션|컨테이너|서버|루프|연결)(?:가|이|는|은) .*(?:막혀|대기|기다)",
    r"(?:테스트|빌드|응답|결과|명령|설치|출력|다운로드)(?:가|이|를|을)? ?(?:끝나기를|끝날 때|나올 때|기다리)",
)  # fmt: skip
SETTLED = _any(
    r"\b(?:sent (?:us |over )?(?:the|a|an)|arrived|is here|is there now|is available|are available|is ready|has been (?:added|created|issued|fixed|merged|delivered"
    r"|granted|provided|resolved|unblocked)|was (?:added|created|issued|merged|delivered|granted|provided)|no longer (?:missing|blocked)"
    r"|unblocked|got (?:the|a|an|our)|received|came in|is in place|works now|have (?:the|a|an) .* now)\b",
    r"받았|도착했|생겼|발급(?:됐|되었|받)|풀렸|해결(?:됐|되었)|들어왔|준비(?:됐|되었)|추가(?:됐|되었|했)|병합(?:됐|되었)|승인(?:됐|되었|났)",
)  # fmt: skip
NOT_SETTLED = _any(
    r"\b(?:not|never|n't|n’t|no|until|once|when|if|will|should|would|expected|hasn't|haven't)\b",
    r"아직|안 |못|않|면 |까지|예정|해야|겠",
)

# -- Where to read on ----------------------------------------------------------------------------------------

POINTS_TO = _any(
    r"\b(?:see|refer|reference|read|docs?|documented|documentation|described|description|discussion|discussed|explained|spec"
    r"|specification|guide|runbook|ticket|tracked|details|related|more (?:on|about)|according to|link)\b",
    r"^[\w가-힣 .()'’-]{2,60}[:：]\s*https?://",
    r"참고|참조|관련|문서|설명|논의|가이드|명세|티켓|이슈|자세한|링크|정리(?:되어|해)",
)
ADDRESS = re.compile(
    r"https?://[^\s<>\"'`)\]]+"
    r"|(?<![\w/.-])[A-Za-z0-9][\w.-]*/[\w.-]*\w#\d+\b"
    r"|(?<![A-Za-z0-9_-])(?!(?:UTF|UCS|ISO|SHA|MD|RFC|HTTP|TLS|AES|RSA|GPT|CVE|ES|IPV|UTC)-)[A-Z][A-Z0-9]{1,14}-\d+(?![A-Za-z0-9_-])"
    r"|(?<![\w/])(?:[\w.-]+/)+[\w.-]+\.(?:md|rst|adoc|txt|html|pdf)\b"
)
LOCAL = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|example\.com/?$)")

# -- What is so ----------------------------------------------------------------------------------------------

CONCRETE = re.compile(
    r"\d"  # a number
    r"|`[^`]+`"
    r"|(?<![\w])[~.]?/?[\w.-]+/[\w./-]+"  # a path
    r"|\b\w+\.(?:py|ts|js|go|rs|java|kt|toml|ya?ml|json|sql|md|sh|rb|php|cfg|ini|env|lock|xml)\b"
    r"|\b[a-z]+(?:[-_][a-z0-9]+)+\b"  # an-identifier
    r"|(?<=[a-z가-힣,] )[A-Z][A-Za-z]*[A-Za-z0-9]+"  # a name inside a sentence
    r"|\b[A-Z]{2,}\b"
)
TOPIC = re.compile(r"[가-힣a-z0-9`)](?:은|는|에는|에서는)\s|려면 ")
IS_SO = _any(
    r"\b(?:is|are) (?:in|at|on|stored|located|defined|implemented|configured|set|limited|kept|uploaded|served|deployed|hosted"
    r"|written|generated|called|named|pinned|built|based|encrypted|signed|cached|read|mounted|capped|rotated|listed|delivered|partitioned|split|sharded|signed|stored|sent|backed up|replicated)\b",
    r"\b(?:go(?:es)? (?:through|to|into)|ends? up in|ha(?:s|ve) \S+ (?:set to|\w+)|signs?|lasts?|stays?|points? to|maps? to|belongs? to|returns?|exposes?"
    r"|ships? with|starts? at|connects? to|follows?)\b",
    r"\b(?:lives?|resides?|sits?|runs? (?:on|at|in|every|with|as)|uses?|needs?|requires?|takes?|holds?|allows?|supports?|accepts?|expires?"
    r"|retr(?:y|ies)|listens?|defaults?|contains?|refills?|depends? on|limits?|stores?|keeps?|speaks?|serves?|writes? to|reads? from|talks?"
    r" to|deploys?|caches|times out after|has a limit|consists?|polls?|caps?|sends?|rotates?)\b",
    r"(?:있다|있습니다|있어|있음|있어요)\s*[.!]*$",
    r"(?:사용|필요|지원|허용|제공|재시도|실행|저장|유지|보관|요구|제한|구성|포함|캐시|호출|배포|의존|만료|업로드|생성|기록|전송|처리|관리|동작|암호화|교체)"
    r"(?:한다|합니다|된다|됩니다|하다|함|됨|해)\s*[.!]*$",
    r"(?:쓴다|씁니다|써|걸린다|걸립니다|채운다|채웁니다|든다|듭니다|돈다|돕니다|받는다|받습니다|보낸다|보냅니다|읽는다|읽습니다|둔다|둡니다|나눈다|가진다)"
    r"\s*[.!]*$",
    r"(?:\d[\w,.%]*|개|초|분|시간|일|년|번|건|명|통|MB|GB|KB|mb|gb|kb|ms)(?:이다|입니다|다|이야|임)\s*[.!]*$",
)  # fmt: skip
NOT_A_FACT = _any(
    r"^(?:i|you|it|this|that|these|those|there|here|he|she|they|let|now|then|so|but|and|next|first|done|also|ok|okay|great|good|yes|no"
    r"|all \d+|step|after|before|once|when|while|to|in order|running|see|use|add|remove|make|run)\b",
    r"\b(?:was|were|had|did|should|would|could|might|may|will|won't|must|i|you|me|my|your|now (?:uses|takes|runs|returns|supports))\b",
    r"\b(?:today|yesterday|just|already|currently|so far|again|when|once|until|forever)\b",
    r"^(?:지금|이제|그러니|그래서|현재|대신|그리고|그런데|방금|오늘)|(?:게|것이|편이|쪽이) (?:맞|좋|낫)|면 (?:됩니다|된다|돼)|통과(?:합니다|한다)",
    r"(?:았|었|였|했|됐|겠|렸|갔|왔|났|꿨|졌|췄|셨)(?:다|습|어|고|으|지|는|던|네)", r"고 ?있(?:다|습|어)|는 ?중|^(?:이|그|저|여기|이제|다음|제가|저는|나는|이것|그것|위)[는은가이의]?\s",
    r"(?:할|볼|될|쓸|갈|낼|줄|만들|고칠|넣을|바꿀|지울) 수 ?있습니다|해야|야 ?(?:한다|합니다)",
)  # fmt: skip
