/**
 * The name of a header with `_` and `.` as `-`: servers that map names to variables (CGI, WSGI) can not distinguish `X_User`
 * or `X.User` from `X-User` (threats B15).
 */
export function dashedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-')
}
