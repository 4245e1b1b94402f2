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

/** Whether two header names are equal with `_` and `.` as `-`, as in CGI and WSGI servers. */
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

function dashed(code: number): number {
  return code === 0x5f || code === 0x2e ? 0x2d : lower(code)
}
