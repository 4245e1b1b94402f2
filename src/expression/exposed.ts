/** The key of the exposure on the prototype of a host class. */
export const exposed: unique symbol = Symbol('exposed')

/** The members of a host object that expressions can use; others do not exist for them. */
export interface Exposure<T> {
  /** Name of the kind in messages: `request`, `uri`. */
  readonly kind: string
  readonly get?: Readonly<Record<string, (self: T) => unknown>>
  readonly set?: Readonly<Record<string, (self: T, value: unknown) => void>>
  readonly call?: Readonly<Record<string, (self: T, ...args: unknown[]) => unknown>>
  readonly index?: (self: T, key: string | number) => unknown
  readonly assignIndex?: (self: T, key: string | number, value: unknown) => void
  readonly keys?: (self: T) => Iterable<string>
  /** Its primitive value in comparisons, arithmetic and text, such as the code of a status. */
  readonly value?: (self: T) => unknown
}

export type AnyExposure = Exposure<unknown>

/** `undefined` for values that are no host objects. */
export function exposureOf(value: object): AnyExposure | undefined {
  return (value as { readonly [exposed]?: AnyExposure })[exposed]
}

const beanPrefix = /^(?:get|is)(?=[A-Z])/

/** The getter of `name`, in the spellings `x`, `getX` and `isX`; own keys only. */
export function getterOf(exposure: AnyExposure, name: string): ((self: unknown) => unknown) | undefined {
  const table = exposure.get
  if (table === undefined) return undefined
  for (const spelling of spellings(name)) if (Object.hasOwn(table, spelling)) return table[spelling]
  return undefined
}

/** Own keys only. */
export function setterOf(exposure: AnyExposure, name: string): ((self: unknown, value: unknown) => void) | undefined {
  const table = exposure.set
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Own keys only. */
export function methodOf(
  exposure: AnyExposure,
  name: string,
): ((self: unknown, ...args: unknown[]) => unknown) | undefined {
  const table = exposure.call
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

function spellings(name: string): string[] {
  const bare = name.replace(beanPrefix, '')
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  const result = [name, `is${capital}`, `get${capital}`]
  if (bare !== name) result.push(bare.charAt(0).toLowerCase() + bare.slice(1), bare)
  return result
}
