/**
 * The name of a header as servers see it that make variables of names (CGI, WSGI and others): they cannot tell `X_User` or
 * `X.User` from `X-User` (threats B15).
 */
export function dashedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-')
}
