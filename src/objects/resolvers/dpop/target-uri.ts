import { normalizePath, Uri } from '#http'

/**
 * Whether `htu` is the URI of a request: scheme, host, port and path in normal form, without query and
 * fragment (RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3).
 */
export function isTarget(htu: string, target: Uri): boolean {
  const named = parsed(htu)
  if (named === null || named.userInfo !== null || named.origin !== target.origin) return false
  const path = plainPath(named)
  return path !== null && path === plainPath(target)
}

function parsed(text: string): Uri | null {
  try {
    return Uri.parse(text)
  } catch {
    return null
  }
}

function plainPath({ rawPath }: Uri): string | null {
  if (rawPath === '*') return rawPath
  const path = normalizePath(rawPath === '' ? '/' : rawPath)
  return 'problem' in path ? null : path.text
}
