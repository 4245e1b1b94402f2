/** A server name in lower case, without a final dot; null for an invalid one. */
export function plainServerName(name: string): string | null {
  const plain = name.toLowerCase().replace(/\.$/, '')
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(plain) &&
    plain.length <= 253
    ? plain
    : null
}

/** Selects by server name: an exact match, else the wildcard of its level; null without a match. */
export function chooseByName<T>(names: ReadonlyMap<string, T>, serverName: string | null): T | null {
  const plain = serverName === null ? null : plainServerName(serverName)
  if (plain === null) return null
  return names.get(plain) ?? names.get(plain.replace(/^[^.]+/, '*')) ?? null
}
