import { ConfigError, type Kind, type Reference, type Typed } from '#schema'

/** An object as one of the wanted kinds, adapted where needed: its value, or with several kinds also which one it is. */
export function asKind(
  object: Typed,
  kinds: readonly Kind[],
  pointer: string,
  advice: Reference['advice'] = null,
): unknown {
  if (kinds.includes(object.kind)) return kinds.length > 1 ? object : object.value
  for (const want of kinds) {
    const adapter = want.adapters.find(({ from }) => from === object.kind)
    if (adapter === undefined) continue
    const value = adapter.adapt(object.value as never)
    return kinds.length > 1 ? { kind: want, value } : value
  }
  const wanted = kinds.map(({ name }) => name).join(' or ')
  const message = advice?.get(object.kind) ?? `expected a ${wanted}, got a ${object.kind.name}`
  throw new ConfigError([{ pointer, message }])
}
