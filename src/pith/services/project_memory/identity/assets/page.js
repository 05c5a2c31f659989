"use strict";
// The page says everything without this. Here: filters, choice, zoom, labels as they fit, and the Korean words.
// Nothing is fetched, stored or sent; text is only ever set as text.
(() => {
  const byId = (id) => document.getElementById(id);
  const state = JSON.parse(byId("orange-hyper-state").textContent);
  const memories = state.memoryGraph.nodes;
  document.documentElement.classList.add("on");

  // -- words

  const KO = {
    "Project memory": "프로젝트 기억", "As of": "기준 시각", "Graph preview is read-only": "그래프 미리보기는 읽기 전용입니다",
    "Graph editing is not supported": "그래프 편집은 지원하지 않습니다", "Accepted memories": "승인된 기억", "Need attention": "확인 필요",
    "Completed quests": "완료한 퀘스트", "Pending proposals": "대기 중인 제안", "Structure parts": "구조 요소", "By type": "종류별",
    "By state": "상태별", "By confidence": "신뢰도별", "Routes": "경로", "Overview": "개요", "Search": "검색", "Type": "종류",
    "State": "상태", "Source quest": "출처 퀘스트", "All types": "모든 종류", "All states": "모든 상태", "All quests": "모든 퀘스트",
    "Clear": "지우기", "Map": "지도", "Fit": "맞춤", "Memory": "기억", "Confidence": "신뢰도", "Accepted": "승인일",
    "Structure": "프로젝트 구조", "Details": "상세", "Evidence": "근거", "Links": "연결", "Validity": "유효성", "Provenance": "출처",
    "Why so": "이유", "Last verified": "마지막 확인", "Stability": "안정성", "Stale after": "낡는 조건", "Valid from": "시작일",
    "Valid to": "종료일", "Superseded by": "대체한 기억", "About": "대상", "Quest": "퀘스트", "Proposal": "제안", "Hash": "해시",
    "Written by": "작성 도구", "File": "파일", "Id": "식별자", "Left out": "제외된 파일", "Made by": "만든 도구",
    fresh: "유효", stale: "낡음", conflicting: "충돌", superseded: "대체됨", expired: "만료", not_yet: "시작 전", structure: "구조",
    intent: "의도", decision: "결정", constraint: "제약", component: "구성 요소", risk: "위험", verification: "검증",
    convention: "관례", tool: "도구", role: "역할", episode: "사건", high: "높음", medium: "보통", low: "낮음",
    module: "모듈", domain: "영역", test: "테스트", document: "문서", infrastructure: "인프라", datastore: "저장소",
    "Nothing matches these filters.": "조건에 맞는 기억이 없습니다.", "smaller parts are not drawn.": "개의 작은 요소는 그리지 않았습니다.",
    "links between them": "개의 연결", "link between them": "개의 연결", files: "개 파일", file: "개 파일", verified: "확인됨",
    unverified: "미확인", active: "진행 중", accepted: "승인", rejected: "거절", "word, id, path, 쿠폰": "낱말, 식별자, 경로",
    "Skip to the memory": "기억으로 건너뛰기", "Unmapped memory": "위치 없는 기억",
    "Choose a memory on the map or in the table to see what it rests on.": "지도나 표에서 기억을 고르면 그 근거가 여기에 나옵니다.",
    "Drawn from file names and build files; no memory, made again each time.": "파일 이름과 빌드 파일로 그린 것으로, 기억이 아니며 매번 새로 만듭니다.",
    "Drag to move. Scroll while the map has the focus, or pinch, to zoom. Arrow keys go from memory to memory, Enter opens one, + − 0 zoom.":
      "끌어서 옮기고, 지도를 누른 뒤 휠을 돌리거나 두 손가락으로 확대합니다. 화살표로 기억을 옮겨 다니고 Enter로 열며 + − 0으로 확대합니다.",
    "Memory proposal review is active.": "기억 제안 검토가 활성화되어 있습니다.", "Graph preview is read-only.": "그래프 미리보기는 읽기 전용입니다.",
    "Graph editing is not supported.": "그래프 편집은 지원하지 않습니다.",
    "Accepted memory nodes are candidate project memory.": "승인된 기억 노드는 프로젝트 기억의 후보입니다.",
    "No memory is accepted yet. Complete a quest, run `pith remember propose`, then accept what is worth keeping.":
      "승인된 기억이 아직 없습니다. 퀘스트를 완료하고 `pith remember propose`로 제안한 뒤 남길 것을 승인하세요.",
  };
  const WORDS = "[data-t], .node h3, .node dt, .chip, .state, td.c3";
  const ENGLISH = new WeakMap();
  let korean = false;
  const word = (text) => (korean && KO[text]) || text;
  function translate(root) {
    for (const element of root.querySelectorAll(WORDS)) {
      if (!ENGLISH.has(element)) {
        if (!korean) continue;
        ENGLISH.set(element, element.textContent);
      }
      const english = ENGLISH.get(element), said = word(english.replace(/\s+/g, " "));
      element.textContent = korean ? said : english;
      if (korean && said !== english) element.lang = "ko"; else element.removeAttribute("lang");
    }
  }

  // -- rows: the details leave the table and wait for the panel

  const rows = [...document.querySelectorAll("tbody tr")];
  const bodies = [], buttons = [], texts = [];
  rows.forEach((row, i) => {
    const details = row.querySelector("details"), summary = details.firstElementChild;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "open";
    button.textContent = summary.textContent;
    if (summary.lang) button.lang = summary.lang;
    button.tabIndex = -1;
    button.dataset.i = i;
    bodies.push(details.lastElementChild);
    buttons.push(button);
    details.replaceWith(button);
  });
  const searched = (i) => (texts[i] ??= (memories[i].title + " " + bodies[i].textContent + " " +
    (state.quests[memories[i].source_quest] || "")).normalize("NFC").toLowerCase());

  // -- structure: which memories are about a part or something inside it

  const outer = new Map(state.structureGraph.edges.map((edge) => [edge.to, edge.from]));
  const about = new Map();
  const number = new Map(memories.map((memory, i) => [memory.id, i]));
  for (const edge of state.identityGraph.edges) {
    if (edge.type !== "scoped_to" && edge.type !== "clustered_in") continue;
    for (let part = edge.to; part; part = outer.get(part)) {
      if (!about.has(part)) about.set(part, new Set());
      about.get(part).add(number.get(edge.from));
    }
  }

  // -- filters

  const filters = { text: byId("f-text"), type: byId("f-type"), state: byId("f-state"), quest: byId("f-quest") };
  const STATES = ["fresh", "stale", "superseded", "conflicting"];
  const options = (select, values, label) => {
    for (const value of values) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = label ? label(value) : value;
      if (!label) option.dataset.t = "";
      select.append(option);
    }
  };
  options(filters.type, Object.keys(state.nodeTypeDistribution));
  options(filters.state, [...new Set([...STATES, ...memories.flatMap((memory) => memory.states)])]);
  options(filters.quest, [...new Set(memories.map((memory) => memory.source_quest))].filter(Boolean).sort(),
    (id) => (state.quests[id] || id).slice(0, 80));
  let part = "", shown = memories.map((_, i) => i), visible = new Set(shown), page = 100, chosen = -1;

  function matches(i, terms) {
    const memory = memories[i];
    return (!filters.type.value || memory.node_type === filters.type.value) &&
      (!filters.state.value || memory.states.includes(filters.state.value)) &&
      (!filters.quest.value || memory.source_quest === filters.quest.value) &&
      (!part || about.get(part)?.has(i)) && terms.every((term) => searched(i).includes(term));
  }
  function filter() {
    const terms = filters.text.value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
    shown = memories.map((_, i) => i).filter((i) => matches(i, terms));
    visible = new Set(shown);
    page = 100;
    list();
    for (const [i, dot] of dots.entries()) dot?.classList.toggle("dim", !visible.has(i));
    for (const line of relations) line.classList.toggle("dim", !(visible.has(+line.dataset.a) && visible.has(+line.dataset.b)));
    for (const row of document.querySelectorAll("[data-filter]"))
      row.setAttribute("aria-pressed", filters[row.dataset.filter].value === row.dataset.value);
    for (const button of document.querySelectorAll("[data-part]")) button.setAttribute("aria-pressed", button.dataset.part === part);
    relabel();
  }
  function list() {
    const first = new Set(shown.slice(0, page));
    rows.forEach((row, i) => { row.hidden = !first.has(i); });
    const left = shown.length - first.size;
    byId("more").hidden = left <= 0;
    byId("more").textContent = korean ? `${Math.min(left, 100)}개 더 보기` : `Show ${Math.min(left, 100)} more`;
    byId("nothing").hidden = shown.length > 0 || memories.length === 0;
    byId("count").textContent = korean ? `기억 ${memories.length}개 중 ${shown.length}개`
      : `${shown.length.toLocaleString("en")} of ${memories.length.toLocaleString("en")} memories`;
    rove(buttons, shown[0] ?? -1);
  }
  function rove(all, i) {
    for (const each of all) if (each && each.tabIndex === 0) each.tabIndex = -1;
    if (all[i]) all[i].tabIndex = 0;
  }

  // -- choice

  const panel = byId("panel"), title = byId("panel-title"), body = byId("panel-body");
  let back = null;
  function choose(i, focus) {
    if (chosen >= 0) { rows[chosen].classList.remove("chosen"); dots[chosen]?.classList.remove("chosen"); }
    for (const line of relations) line.classList.toggle("lit", i >= 0 && (+line.dataset.a === i || +line.dataset.b === i));
    chosen = i;
    panel.classList.toggle("full", i >= 0);
    if (i < 0) return;
    rows[i].classList.add("chosen");
    dots[i]?.classList.add("chosen");
    title.removeAttribute("data-t");
    title.textContent = memories[i].title;
    title.lang = buttons[i].lang || "en";
    const where = document.createElement("p");
    where.className = "where";
    for (const cell of [rows[i].querySelector(".c1"), rows[i].querySelector(".c2")])
      where.append(...[...cell.children].map((each) => each.cloneNode(true)));
    body.replaceChildren(where, bodies[i]);
    translate(panel);
    panel.scrollTop = 0;
    relabel();
    if (focus) { back = document.activeElement; panel.focus({ preventScroll: true }); }
  }
  function close() {
    if (chosen < 0) return;
    choose(-1);
    title.textContent = word("Details");
    body.replaceChildren();
    if (back?.isConnected) back.focus();
    relabel();
  }

  // -- map

  const map = byId("map"), tip = byId("tip"), labels = byId("labels");
  const dots = [], spots = [];
  for (const dot of map.querySelectorAll("#dots .dot")) {
    const i = +dot.dataset.i;
    dots[i] = dot;
    spots[i] = [+dot.getAttribute("cx"), +dot.getAttribute("cy")];
    dot.setAttribute("role", "button");
    dot.setAttribute("aria-label", `${memories[i].title} (${memories[i].node_type}, ${memories[i].states.join(", ")})`);
    dot.setAttribute("tabindex", "-1");
  }
  const relations = [...map.querySelectorAll(".rel")];
  const parts = [...map.querySelectorAll("#parts .part")].map((element) => ({
    element, id: element.dataset.id, title: element.dataset.title, room: +element.dataset.r, count: +element.dataset.count,
    core: +element.getAttribute("r"), x: +element.getAttribute("cx"), y: +element.getAttribute("cy"),
    type: element.classList[1].slice(2),
  }));
  map.setAttribute("role", "group");
  map.classList.toggle("rels-many", relations.length > 60);
  map.classList.toggle("dots-many", memories.length > 400);
  const DOT = dots.length ? +dots.find(Boolean).getAttribute("r") : 5;
  const HOME = map.getAttribute("viewBox").split(" ").map(Number);
  let view = { x: HOME[0] + HOME[2] / 2, y: HOME[1] + HOME[3] / 2, k: 1 }, box = { width: 1, height: 1 };
  const fitted = () => Math.min(box.width / HOME[2], box.height / HOME[3]);
  function show() {
    const w = box.width / view.k, h = box.height / view.k;
    map.setAttribute("viewBox", `${(view.x - w / 2).toFixed(2)} ${(view.y - h / 2).toFixed(2)} ${w.toFixed(2)} ${h.toFixed(2)}`);
    relabel();
  }
  function fit() { view = { x: HOME[0] + HOME[2] / 2, y: HOME[1] + HOME[3] / 2, k: fitted() }; show(); }
  function zoom(factor, at) {
    const k = Math.min(Math.max(view.k * factor, fitted() * 0.6), 9);
    if (at) {
      const px = view.x + (at[0] - box.width / 2) / view.k, py = view.y + (at[1] - box.height / 2) / view.k;
      view.x = px - (at[0] - box.width / 2) / k; view.y = py - (at[1] - box.height / 2) / k;
    }
    view.k = k;
    show();
  }
  const inMap = (event) => { const r = map.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
  const onScreen = (x, y) => [(x - view.x) * view.k + box.width / 2, (y - view.y) * view.k + box.height / 2];
  function nearest([px, py], reach) {
    let best = -1, least = reach;
    for (const [i, spot] of spots.entries()) {
      if (!spot || !visible.has(i)) continue;
      const [x, y] = onScreen(spot[0], spot[1]), distance = Math.hypot(x - px, y - py) - DOT * view.k;
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  }

  // Labels stand where they have room: parts by size, then the memories in sight when they are few.
  let waiting = 0;
  const relabel = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); }); };
  const columns = (text) => [...text].reduce((sum, c) => sum + (c > "\u1100" ? 1 : 0.56), 0);
  const short = (text, most) => { let out = "", width = 0; for (const c of text) { width += c > "\u1100" ? 1 : 0.56; if (width > most) return out.trimEnd() + "…"; out += c; } return out; };
  function draw() {
    const taken = [], texts = [];
    const put = (x, y, below, text, size, style, lang) => {
      const w = columns(text) * size + 6;
      let [px, py] = onScreen(x, y);
      if (px < 0 || px > box.width || py < -20 || py > box.height + 20) return false;
      px = Math.max(w / 2, Math.min(px, box.width - w / 2));
      const tops = [py + below * view.k + 2, py - below * view.k - size * 1.25 - 2]; // below, else above
      const top = tops.find((y) => !taken.some((t) => px - w / 2 < t[2] && px + w / 2 > t[0] && y < t[3] && y + size * 1.25 > t[1]));
      if (top === undefined) return false;
      taken.push([px - w / 2, top, px + w / 2, top + size * 1.25]);
      const label = document.createElementNS(map.namespaceURI, "text");
      label.setAttribute("x", (view.x + (px - box.width / 2) / view.k).toFixed(1));
      label.setAttribute("y", (view.y + (top + size - 1 - box.height / 2) / view.k).toFixed(2));
      label.setAttribute("font-size", (size / view.k).toFixed(3));
      label.setAttribute("class", style);
      if (lang) label.setAttribute("lang", lang);
      label.textContent = text;
      texts.push(label);
      return true;
    };
    const inSight = [];
    for (const i of shown) {
      if (!spots[i]) continue;
      const [x, y] = onScreen(spots[i][0], spots[i][1]);
      if (x > 0 && y > 0 && x < box.width && y < box.height) inSight.push(i);
    }
    if (chosen >= 0 && spots[chosen]) put(spots[chosen][0], spots[chosen][1], DOT + 1, short(memories[chosen].title, 26), 13, "strong", buttons[chosen].lang);
    const big = parts.filter((p) => p.room * view.k > 26 || p.type === "project" || p.id === "unmapped-memory");
    big.sort((a, b) => (b.type === "project") - (a.type === "project") || b.count - a.count || b.room - a.room || (a.id < b.id ? -1 : 1));
    for (const p of big) {
      if (p.type === "project" && p.room * view.k < 40) continue;
      const plain = p.count === 0 || p.type === "kind";
      const name = word(p.title);
      put(p.x, p.y, p.core, short(p.type === "kind" ? `${name} ${p.count}` : name, 16), plain ? 11.5 : 13, plain ? "quietly" : "strong", "");
    }
    if (inSight.length <= 12 || (inSight.length <= 90 && view.k > 1.3)) {
      for (const i of inSight) { const [x, y] = onScreen(spots[i][0], spots[i][1]), r = DOT * 0.9 * view.k; taken.push([x - r, y - r, x + r, y + r]); }
      for (const i of inSight) put(spots[i][0], spots[i][1], DOT, short(memories[i].title, view.k > 2 ? 22 : 14), 11.5, "", buttons[i].lang);
    }
    for (const p of parts) if (!big.includes(p) && view.k > 1.1) put(p.x, p.y, p.core, short(p.title, 14), 11, "quietly", "");
    labels.replaceChildren(...texts);
  }

  // -- pointers

  const fingers = new Map();
  let moved = 0;
  map.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
  });
  map.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) { hover(event); return; }
    const dx = event.clientX - before[0], dy = event.clientY - before[1];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
      const is = Math.hypot(event.clientX - other[0], event.clientY - other[1]);
      if (was > 0) zoom(is / was, inMap(event));
    } else {
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) {
        if (!map.hasPointerCapture(event.pointerId)) map.setPointerCapture(event.pointerId);
        map.classList.add("moving");
        view.x -= dx / view.k; view.y -= dy / view.k;
        show();
      }
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"]) map.addEventListener(end, (event) => {
    const single = fingers.size === 1;
    fingers.delete(event.pointerId);
    map.classList.remove("moving");
    if (end !== "pointerup" || !single || moved > 4) return;
    const i = nearest(inMap(event), 14);
    if (i >= 0) { rove(dots, i); dots[i].focus({ preventScroll: true }); choose(i); return; }
    map.focus({ preventScroll: true });
  });
  map.addEventListener("pointerleave", () => { tip.hidden = true; });
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !map.contains(document.activeElement)) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), inMap(event));
  }, { passive: false });
  function hover(event) {
    const at = inMap(event), i = nearest(at, 8);
    tip.hidden = i < 0;
    if (i < 0) return;
    tip.textContent = memories[i].title;
    tip.lang = buttons[i].lang || "en";
    tip.style.left = `${Math.max(4, Math.min(at[0] + 14, box.width - 284))}px`;
    tip.style.top = `${at[1] + 16}px`;
  }

  // -- keys

  map.setAttribute("tabindex", "0");
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  map.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = dots.indexOf(document.activeElement);
    if (WAYS[event.key]) go(here, WAYS[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && here >= 0) choose(here, true);
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  function go(here, [dx, dy]) {
    let next = -1, least = Infinity;
    if (here < 0) next = chosen >= 0 && visible.has(chosen) ? chosen : shown.find((i) => spots[i]) ?? -1;
    else for (const i of shown) {
      if (i === here || !spots[i]) continue;
      const x = spots[i][0] - spots[here][0], y = spots[i][1] - spots[here][1];
      const along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
      if (along > 0.5 && aside <= along * 1.6 && along + aside * 2 < least) { least = along + aside * 2; next = i; }
    }
    if (next < 0) return;
    rove(dots, next);
    dots[next].focus({ preventScroll: true });
    const [x, y] = onScreen(spots[next][0], spots[next][1]);
    if (x < 30 || y < 30 || x > box.width - 30 || y > box.height - 30) { [view.x, view.y] = spots[next]; show(); }
  }
  const tableBody = document.querySelector("tbody");
  tableBody.addEventListener("keydown", (event) => {
    const at = shown.indexOf(buttons.indexOf(document.activeElement));
    const last = Math.min(page, shown.length) - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + 10, PageUp: at - 10 }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const i = shown[Math.max(0, Math.min(to, last))];
    rove(buttons, i);
    buttons[i].focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen >= 0) close();
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) { event.preventDefault(); filters.text.focus(); }
  });

  // -- clicks

  document.addEventListener("click", (event) => {
    const target = event.target.closest("button, a");
    if (!target) return;
    if (target.dataset.i) { rove(buttons, +target.dataset.i); choose(+target.dataset.i, true); }
    else if (target.dataset.filter) {
      const select = filters[target.dataset.filter];
      select.value = select.value === target.dataset.value ? "" : target.dataset.value;
      filter();
    } else if (target.dataset.part) {
      part = target.dataset.part === part || target.dataset.part === "project" ? "" : target.dataset.part;
      filter();
      const spot = parts.find((each) => each.id === part);
      if (spot && spot.count) { view = { x: spot.x, y: spot.y, k: Math.min(Math.max(Math.min(box.width, box.height) / (2.4 * spot.room), fitted()), 2.2) }; show(); }
      else fit();
    } else if (/^#n\d+$/.test(target.getAttribute("href") || "")) {
      event.preventDefault();
      const i = +target.getAttribute("href").slice(2);
      choose(i, true);
      if (spots[i]) { [view.x, view.y] = spots[i]; show(); }
    }
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("input", filter);
  byId("filters").addEventListener("reset", () => { part = ""; setTimeout(() => { filter(); fit(); }); });
  byId("more").addEventListener("click", () => {
    const next = shown[page];
    page += 100;
    list();
    rove(buttons, next);
    buttons[next].focus();
  });
  byId("close").addEventListener("click", close);
  byId("zoom-in").addEventListener("click", () => zoom(1.4));
  byId("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
  byId("zoom-fit").addEventListener("click", fit);
  byId("language").addEventListener("click", () => speak(!korean));
  function speak(inKorean) {
    korean = inKorean;
    document.documentElement.lang = korean ? "ko" : "en";
    byId("language").textContent = korean ? "English" : "한국어";
    byId("language").lang = korean ? "en" : "ko";
    translate(document);
    filters.text.placeholder = word("word, id, path, 쿠폰");
    list();
    relabel();
  }
  addEventListener("beforeprint", () => { page = shown.length; list(); });

  new ResizeObserver(() => {
    const size = map.getBoundingClientRect(), fresh = box.width === 1, scale = view.k / fitted();
    if (!size.width || !size.height) return;
    box = { width: size.width, height: size.height };
    if (fresh) fit(); else { view.k = scale * fitted(); show(); }
  }).observe(map);
  filter();
  if ((navigator.language || "").startsWith("ko")) speak(true);
  const wanted = /^#n(\d+)$/.exec(location.hash);
  if (wanted && rows[wanted[1]]) choose(+wanted[1]);
})();
