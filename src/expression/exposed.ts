/** The key under which a host class, on its prototype, states what expressions may see of it. */
export const exposed: unique symbol = Symbol('exposed')

/** What a host object shows to expressions; everything not named here does not exist for them. */
export interface Exposure<T> {
  /** The word for such an object in messages: `request`, `uri`. */
  readonly kind: string
  readonly get?: Readonly<Record<string, (self: T) => unknown>>
  readonly set?: Readonly<Record<string, (self: T, value: unknown) => void>>
  readonly call?: Readonly<Record<string, (self: T, ...args: unknown[]) => unknown>>
  readonly index?: (self: T, key: string | number) => unknown
  readonly assignIndex?: (self: T, key: string | number, value: unknown) => void
  readonly keys?: (self: T) => Iterable<string>
  /** The number or text it stands for in a comparison, in arithmetic and in text, as a status does for its code. */
  readonly value?: (self: T) => unknown
}

/** The exposure of any host object, once its own type no longer matters. */
export type AnyExposure = Exposure<unknown>

/** Finds what a value shows to expressions; `undefined` for everything that is not a host object. */
export function exposureOf(value: object): AnyExposure | undefined {
  return (value as { readonly [exposed]?: AnyExposure })[exposed]
}

const beanPrefix = /^(?:get|is)(?=[A-Z])/

/** Finds the getter behind `name`, in the spellings `x`, `getX` and `isX`; own keys only. */
export function getterOf(exposure: AnyExposure, name: string): ((self: unknown) => unknown) | undefined {
  const table = exposure.get
  if (table === undefined) return undefined
  for (const spelling of spellings(name)) if (Object.hasOwn(table, spelling)) return table[spelling]
  return undefined
}

/** Finds the setter behind `name`; own keys only. */
export function setterOf(exposure: AnyExposure, name: string): ((self: unknown, value: unknown) => void) | undefined {
  const table = exposure.set
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Finds the method `name`; own keys only. */
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
