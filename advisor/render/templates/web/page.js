// What the pages can do besides: files dropped, answers without a new page, copying. Every page works without it.
// Files that were handed over stay here, in a file input that the service's answer does not have to carry.
"use strict";
(() => {
  const views = [];
  const status = document.getElementById("status");
  const say = (text) => { status.textContent = text; };
  const tell = (en, zh) => (document.documentElement.lang.startsWith("zh") ? zh : en);
  let kept = [];
  let sending = null;

  const inputs = (form) => [...form.querySelectorAll("input[type=file]:not([data-kept])")];
  const fill = (input, files) => {
    const box = new DataTransfer();
    for (const one of files) box.items.add(one);
    input.files = box.files;
  };
  const named = (file, taken) => {  // two files of one name are told apart; a form would send some signs so
    const sent = file.name.replace(/["\r\n]/g, encodeURIComponent);
    const [, stem, end] = /^(.*?)((?:\.[^.]*)?)$/.exec(sent);
    let name = sent;
    for (let n = 2; taken.has(name); n++) name = `${stem}-${n}${end}`;
    taken.add(name);
    return new File([file], name);
  };
  const make = (tag, text = "", kind = "") => Object.assign(document.createElement(tag), { textContent: text, className: kind });

  function list(area) {
    area.querySelector(".chosen")?.remove();
    const files = [...area.querySelector("input[type=file]").files];
    if (!files.length) return;
    const shown = make("ul", "", "chosen");
    for (const one of files) shown.append(make("li", `${one.name}, ${Math.ceil(one.size / 1000)} kB`));
    area.append(shown);
    say(tell(`${files.length} files chosen`, `已选择 ${files.length} 个文件`));
  }

  function droppable(area) {
    const input = area.querySelector("input[type=file]");
    area.ondragenter = area.ondragover = (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      area.classList.add("over");
    };
    area.ondragleave = (event) => { if (!area.contains(event.relatedTarget)) area.classList.remove("over"); };
    area.ondrop = (event) => {
      area.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      fill(input, [...input.files, ...event.dataTransfer.files]);
      list(area);
    };
    input.onchange = () => list(area);
  }

  function copyable(box) {
    if (box.closest(".copied") || !box.querySelector("pre.diff, pre.sh") || !navigator.clipboard) return;
    const around = make("div", "", "copied");
    const button = make("button", tell("Copy", "复制"), "copy small");
    button.type = "button";
    button.setAttribute("aria-label", `${button.textContent}: ${box.getAttribute("aria-label")}`);
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(box.querySelector("code").textContent.replace(/\n?$/, "\n"));
        button.textContent = tell("Copied", "已复制");
        say(button.textContent);
        setTimeout(() => { button.textContent = tell("Copy", "复制"); }, 2000);
      } catch { getSelection().selectAllChildren(box.querySelector("code")); }
    };
    box.replaceWith(around);
    around.append(box, button);
  }

  function begin(main) {
    main.querySelectorAll("[data-drop]").forEach(droppable);
    main.querySelectorAll(".scroll").forEach(copyable);
    const form = main.querySelector("form[data-live]");
    if (!form) return;
    const marker = Object.assign(make("input"), { type: "hidden", name: "keeps", value: "1" });
    const holder = Object.assign(make("input"), { type: "file", name: "files", multiple: true, hidden: true });
    holder.dataset.kept = "";
    fill(holder, kept);
    form.append(marker, holder);
    form.onsubmit = (event) => {
      if (event.submitter?.hasAttribute("data-download")) return;  // the browser's own: it saves what comes
      event.preventDefault();
      if (!sending) send(form, event.submitter);
    };
    form.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector(".primary") ?? form.querySelector("button"));
    };
  }

  function busy(form, stop) {
    const bar = make("div", "", "busy");
    const said = make("strong", tell("Reading and judging", "正在读取和判断"));
    const button = Object.assign(make("button", tell("Stop", "停止")), { type: "button", onclick: stop });
    bar.append(said, button);
    form.append(bar);
    form.ariaBusy = "true";
    say(said.textContent);
    const judging = said.textContent;
    return {
      sent: (share) => { said.textContent = share < 1 ? tell("Sending", "正在发送") + ` ${Math.floor(100 * share)} %` : judging; },
      end: () => { bar.remove(); form.ariaBusy = null; },
    };
  }

  function send(form, submitter) {
    const taken = new Set(kept.map((one) => one.name));
    const fresh = [];
    for (const input of inputs(form)) {
      const files = [...input.files].map((one) => named(one, taken));
      fill(input, files);
      fresh.push(...files);
    }
    const texts = { pasted: form.elements.file?.value, answered: form.elements.answer?.value };
    const asking = new XMLHttpRequest();
    const shown = busy(form, () => asking.abort());
    sending = asking;
    asking.open("POST", form.action.split("#")[0]);
    asking.setRequestHeader("Accept", "text/html");
    asking.upload.onprogress = (event) => { if (event.lengthComputable) shown.sent(event.loaded / event.total); };
    asking.onabort = () => say(tell("Stopped.", "已停止。"));
    asking.onerror = () => failed(form, make("p", tell("The service does not answer.", "服务没有响应。")));
    asking.onload = () => {
      const page = new DOMParser().parseFromString(asking.responseText, "text/html");
      const next = page.querySelector("form[data-live]");
      if (!next) return failed(form, page.querySelector(".problem") ?? make("p", `${asking.status}`));
      for (const which of ["pasted", "answered"]) if (next.dataset[which]) fresh.push(new File([texts[which]], next.dataset[which]));
      const left = new Set([...next.querySelectorAll("[data-file]")].map((one) => one.dataset.file));
      const before = kept;
      kept = [...kept, ...fresh].filter((one) => left.has(one.name));
      show(page, before);
    };
    asking.onloadend = () => { sending = null; shown.end(); };
    asking.send(new FormData(form, submitter));
  }

  function failed(form, what) {
    form.querySelector(".failed")?.remove();
    const box = make("div", "", "notice failed");
    box.role = "alert";
    const title = what.querySelector("h1");
    title?.replaceWith(make("p", title.textContent));
    box.append(what);
    form.prepend(box);
    box.scrollIntoView({ block: "nearest" });
  }

  const view = (page, files) => ({ main: page.getElementById("main"), files, kind: page.body.className, title: page.title, lang: page.documentElement.lang });

  function show(page, before) {
    const at = history.state?.view ?? 1;
    history.replaceState({ view: at }, "");
    views[at] = view(document, before);
    history.pushState({ view: at + 1 }, "");
    views[at + 1] = view(page, kept);
    document.adoptNode(views[at + 1].main);
    put(views[at + 1]);
    begin(views[at + 1].main);
    const form = document.querySelector("form[data-live]");
    const heading = (form.dataset.focus === "question" && form.querySelector("[data-focus-here]")) || form.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus();
    say(document.title);
  }

  function put(one) {
    document.getElementById("main").replaceWith(one.main);
    document.body.className = one.kind;
    document.title = one.title;
    document.documentElement.lang = one.lang;
    kept = one.files;
  }

  addEventListener("popstate", (event) => {
    if (views[event.state?.view ?? 1]) put(views[event.state?.view ?? 1]);
  });
  begin(document.getElementById("main"));
})();
