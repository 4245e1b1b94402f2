// Everything that ends a line, moves a terminal's cursor or reorders text: C0 and C1 controls, DEL, line and
// paragraph separators, bidirectional marks and overrides, and the byte order mark.
const active = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const activeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Escapes a text for one line on a terminal: no control characters, line ends or reordering. */
export function oneLine(text: string): string {
  return text.replace(active, escaped)
}

/** Escapes characters that JSON leaves unescaped, but terminals and log viewers interpret. */
export function oneJsonLine(json: string): string {
  return json.replace(activeInJson, escaped)
}
