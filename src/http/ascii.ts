/** Case-insensitive comparison of ASCII, without allocation. */
export function equalsIgnoreCase(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  if (a === b) return true
  for (let i = 0; i < a.length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y && lower(x) !== lower(y)) return false
  }
  return true
}

/** Whether two header names are equal but for case and for characters that CGI and WSGI servers all map to `_`. */
export function sameManagedName(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (dashed(a.charCodeAt(i)) !== dashed(b.charCodeAt(i))) return false
  }
  return true
}

function lower(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code
}

/** A letter in lower case, a digit, or a dash for any other character. */
function dashed(code: number): number {
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) return code
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : 0x2d
}
