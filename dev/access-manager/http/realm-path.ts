/** A path below `/json` or `/oauth2`: realm and endpoint. */
interface RealmPath {
  readonly realm: string
  readonly resource: string
}

/** Parses `realms/root/realms/a/..`, and the older form `a/..` for existing realms; null for an unknown realm. */
export function readRealmPath(segments: readonly string[], realms: ReadonlySet<string>): RealmPath | null {
  const parts = [...segments]
  let realm = ''
  if (parts[0] === 'realms') {
    if (parts[1] !== 'root') return null
    parts.splice(0, 2)
    while (parts[0] === 'realms' && parts[1] !== undefined) {
      realm += `/${parts[1]}`
      parts.splice(0, 2)
    }
  } else {
    while (parts[0] !== undefined && realms.has(`${realm}/${parts[0]}`)) realm += `/${parts.shift()}`
  }
  const named = realm === '' ? '/' : realm
  return realms.has(named) ? { realm: named, resource: parts.join('/') } : null
}

/** The existing realms: the given ones and their parents. */
export function withParents(named: Iterable<string>): ReadonlySet<string> {
  const realms = new Set(['/'])
  for (const realm of named) {
    let path = ''
    for (const part of realm.split('/').filter((text) => text !== '')) {
      path += `/${part}`
      realms.add(path)
    }
  }
  return realms
}

/** Whether a realm is the same as another or below it. */
export function isWithin(realm: string, outer: string): boolean {
  return outer === '/' || realm === outer || realm.startsWith(`${outer}/`)
}

/** The path of a realm in URLs, such as `/realms/root/realms/alpha`. */
export function realmSegments(realm: string): string {
  const parts = realm.split('/').filter((part) => part !== '')
  return `/realms/root${parts.map((part) => `/realms/${part}`).join('')}`
}
