(function () {
  "use strict";

  // Tables sort by a click on their head: numbers from the largest, texts from the first letter.
  function valueOf(row, column) {
    var cell = row.cells[column];
    return cell.hasAttribute("data-v") ? Number(cell.getAttribute("data-v")) : cell.textContent.trim();
  }
  document.querySelectorAll("table.sortable thead button").forEach(function (button) {
    button.addEventListener("click", function () {
      var head = button.closest("th"), body = head.closest("table").tBodies[0];
      var rows = Array.from(body.rows), column = head.cellIndex;
      var numbers = rows.length > 0 && typeof valueOf(rows[0], column) === "number";
      var was = head.getAttribute("aria-sort");
      var down = was === null ? numbers : was === "ascending";
      rows.sort(function (one, other) {
        var a = valueOf(one, column), b = valueOf(other, column);
        var order = numbers ? (a > b) - (a < b) : a.localeCompare(b, undefined, { numeric: true });
        return down ? -order : order;
      });
      head.parentElement.querySelectorAll("th").forEach(function (th) { th.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });

  // Try a case. Everything from the table arrives as data and leaves as text, never as markup.
  var source = document.getElementById("case-data");
  if (source === null) { return; }
  var rule = JSON.parse(source.textContent);
  var form = document.getElementById("case"), answer = document.getElementById("answer");
  var MOST_64 = 100000;

  function pick(input, place) {
    var attribute = rule.attributes[place];
    if (attribute.cuts === undefined) { return Number(input.value); }
    if (input.value.trim() === "" || !isFinite(Number(input.value))) { return attribute.options.length - 1; }
    return attribute.cuts.filter(function (cut) { return Number(input.value) >= cut; }).length;
  }
  function literalsOf(state) {
    var held = new Set();
    state.forEach(function (option, place) {
      rule.attributes[place].holds[option].forEach(function (literal) { held.add(literal); });
    });
    return held;
  }
  function holds(term, held) {
    return term.every(function (literal) { return held.has(literal); });
  }
  function firing(held) {
    return Array.from(rule.terms.keys()).filter(function (number) { return holds(rule.terms[number], held); });
  }
  function partOf(held) {
    return firing(held).reduce(function (most, number) { return Math.max(most, rule.layers[number]); }, 0);
  }
  function suggested(place) {
    return Array.from(Array(rule.attributes[place].suggested).keys());
  }
  function places(term, lacking) {
    return Array.from(rule.attributes.keys()).filter(function (place) {
      return rule.attributes[place].literals.some(function (x) {
        return term.includes(x) && !(lacking && lacking.has(x));
      });
    });
  }
  // Changes of one column, some one of which any way to the part takes from here.
  function needed(held, changed, size, part) {
    var moves = [];
    var above = rule.terms.find(function (term, number) { return rule.layers[number] > part && holds(term, held); });
    if (above !== undefined) {
      places(above).forEach(function (place) {
        if (!changed.has(place)) { suggested(place).forEach(function (option) { moves.push([place, option]); }); }
      });
      return moves;
    }
    rule.terms.forEach(function (term, number) {
      if (rule.layers[number] !== part) { return; }
      var lacking = places(term, held);
      if (lacking.length > size || lacking.some(function (place) { return changed.has(place); })) { return; }
      var attribute = rule.attributes[lacking[0]];
      var wanted = term.filter(function (literal) { return attribute.literals.includes(literal); });
      suggested(lacking[0]).forEach(function (option) {
        if (wanted.every(function (x) { return attribute.holds[option].includes(x); })) { moves.push([lacking[0], option]); }
      });
    });
    return moves;
  }
  // The fewest columns whose change leads to one of some parts, of parts as near to the first named.
  function nearest(state, parts) {
    var steps = MOST_64;
    function search(now, changed, size, part) {
      steps -= 1;
      var held = literalsOf(now);
      if (partOf(held) === part) { return now; }
      if (size === 0 || steps < 0) { return null; }
      var moves = needed(held, changed, size, part);
      for (var i = 0; i < moves.length; i += 1) {
        var next = now.slice();
        next[moves[i][0]] = moves[i][1];
        var done = search(next, new Set(changed).add(moves[i][0]), size - 1, part);
        if (done !== null) { return done; }
      }
      return null;
    }
    for (var size = 1; size <= state.length; size += 1) {
      for (var k = 0; k < parts.length; k += 1) {
        var end = search(state, new Set(), size, parts[k]);
        if (end !== null) { return { part: parts[k], changes: changesTo(state, end, parts[k]) }; }
      }
    }
    return null;
  }
  function changesTo(state, end, part) {
    return end.map(function (option, place) { return [place, option]; })
      .filter(function (pair) { return pair[1] !== state[pair[0]]; })
      .map(function (pair) {
        return [pair[0], suggested(pair[0]).filter(function (option) {
          var other = end.slice();
          other[pair[0]] = option;
          return partOf(literalsOf(other)) === part;
        })];
      });
  }
  function element(tag, text, name) {
    var made = document.createElement(tag);
    made.textContent = text;
    if (name) { made.className = name; }
    return made;
  }
  function oneOf(texts) {
    var few = texts.slice(0, 6);
    if (texts.length > few.length) { return few.join(", ") + " or " + (texts.length - few.length) + " others"; }
    return few.length < 2 ? few.join("") : few.slice(0, -1).join(", ") + " or " + few[few.length - 1];
  }
  function addChanges(title, id, found, inputs, state) {
    answer.appendChild(element("h3", title));
    var told = document.createElement("ul");
    told.id = id;
    (found === null ? [] : found.changes).forEach(function (change) {
      var attribute = rule.attributes[change[0]];
      var options = change[1].map(function (option) { return attribute.options[option]; });
      var input = inputs[change[0]];
      var now = attribute.cuts === undefined ? attribute.options[state[change[0]]] : (input.value || "not known");
      told.appendChild(element("li", attribute.name + ": from " + now + " to " + oneOf(options)));
    });
    if (found === null) { told.appendChild(element("li", "None was found.")); }
    answer.appendChild(told);
  }
  function addRiskChange(word, risks, sign, part, inputs, state) {
    var better = Array.from(risks.keys())
      .filter(function (other) { return sign * (risks[other][0] - risks[part][0]) > 0; })
      .sort(function (one, other) { return sign * (risks[other][0] - risks[one][0]); });
    var title = "Nearest change to a " + word + " risk";
    if (better.length === 0) {
      answer.appendChild(element("h3", title));
      answer.appendChild(element("div", "No part has a " + word + " one.", "dim"));
      return;
    }
    var found = nearest(state, better);
    if (found !== null) { title += ": " + risks[found.part][1]; }
    addChanges(title, word, found, inputs, state);
  }
  function topOf(shares) {
    return shares.reduce(function (best, share, place) { return share[0] > shares[best][0] ? place : best; }, 0);
  }
  // More than two classes: the most probable one, the shares of all, and the way to another.
  function addClasses(shares) {
    var top = topOf(shares), list = document.createElement("ul");
    list.id = "classes";
    answer.appendChild(element("div", rule.classes[top], "risk-now"));
    answer.appendChild(element("div", shares[top][1] + ", 95 % interval " + shares[top][2], "dim"));
    Array.from(shares.keys()).filter(function (place) { return place !== top; })
      .sort(function (one, other) { return shares[other][0] - shares[one][0]; })
      .forEach(function (place) { list.appendChild(element("li", rule.classes[place] + ": " + shares[place][1])); });
    answer.appendChild(list);
  }
  function addClassChange(risks, part, inputs, state) {
    var title = "Nearest change to another class", top = topOf(risks[part]);
    var others = Array.from(risks.keys()).filter(function (other) { return topOf(risks[other]) !== top; });
    if (others.length === 0) {
      answer.appendChild(element("h3", title));
      answer.appendChild(element("div", "No part answers another one.", "dim"));
      return;
    }
    var found = nearest(state, others);
    if (found !== null) { title += ": " + rule.classes[topOf(risks[found.part])]; }
    addChanges(title, "change", found, inputs, state);
  }
  function show() {
    var inputs = Array.from(form.querySelectorAll("[data-place]"));
    var state = inputs.map(pick), held = literalsOf(state), found = firing(held), part = partOf(held);
    var stratum = document.getElementById("stratum");
    var risks = rule.risks[stratum === null ? rule.risks.length - 1 : Number(stratum.value)];
    var who = "The " + rule.noun + (part > 0 ? " holds." : " does not hold.");
    if (rule.is_list) { who = part > 0 ? "Layer " + part + " decides." : "No layer holds."; }
    answer.replaceChildren(element("strong", who));
    if (rule.classes.length > 0) {
      addClasses(risks[part]);
    } else {
      answer.appendChild(element("div", risks[part][1], "risk-now"));
      answer.appendChild(element("div", "risk of “" + rule.positive + "”, 95 % interval " + risks[part][2], "dim"));
    }
    answer.appendChild(element("h3", rule.is_list ? "Terms that decide" : "Terms that hold"));
    var list = document.createElement("ul");
    rule.words.forEach(function (words, number) {
      if (!found.includes(number) || rule.layers[number] !== part) { return; }
      var text = rule.is_list ? "layer " + rule.layers[number] + ": " + words : words;
      list.appendChild(element("li", text, "fires"));
    });
    if (!list.hasChildNodes()) { list.appendChild(element("li", "none")); }
    answer.appendChild(list);
    if (rule.classes.length > 0) {
      addClassChange(risks, part, inputs, state);
    } else if (rule.is_list) {
      addRiskChange("lower", risks, -1, part, inputs, state);
      addRiskChange("higher", risks, 1, part, inputs, state);
    } else {
      addChanges(
        "Nearest change that would " + (part > 0 ? "undo it" : "make it hold"), "change",
        nearest(state, [1 - part]), inputs, state
      );
    }
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("reset", function () { setTimeout(show, 0); });
  show();
})();
