import { formatPointer, isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import type { DocumentPlaces } from './document-places.ts'
import type { OlderSpelling } from './older-spelling.ts'

/** A member of an object in the current spelling, and the key that the document has for it. */
interface CurrentMember {
  readonly key: string
  readonly value: unknown
}

/** A warning about the spelling of a member. */
export interface SpellingRemark {
  readonly path: readonly string[]
  readonly message: string
  readonly isOnce: boolean
}

/** The members of an object in the current spelling. */
export interface CurrentMembers {
  /** By their current names; unknown keys are among them. */
  readonly members: ReadonlyMap<string, CurrentMember>
  /** Where the document has the members whose names differ. */
  readonly places: DocumentPlaces
  readonly remarks: readonly SpellingRemark[]
}

/** Converts older spellings of members, and trims keys. Members that are null are left out. */
export function currentMembers(
  json: Readonly<Record<string, unknown>>,
  isKnown: (key: string) => boolean,
  older: readonly OlderSpelling[],
): CurrentMembers {
  const remarks: SpellingRemark[] = []
  const places = new Map<string, readonly string[]>()
  const members = trimmedMembers(json, (key) => isKnown(key) || isOld(key, older), places, remarks)
  for (const spelling of older) {
    const given = spelling.old.filter((path) => memberAt(members, path) !== undefined)
    if (given.length > 0) convert(spelling, given, members, places, remarks)
  }
  return { members, places, remarks }
}

function isOld(key: string, older: readonly OlderSpelling[]): boolean {
  return older.some(({ old }) => old.includes(key))
}

/** A key with blanks at its ends is that of a known member, unless the member is given too (decisions 9). */
function trimmedMembers(
  json: Readonly<Record<string, unknown>>,
  isKnown: (key: string) => boolean,
  places: Map<string, readonly string[]>,
  remarks: SpellingRemark[],
): Map<string, CurrentMember> {
  const members = new Map<string, CurrentMember>()
  for (const key of Object.keys(json)) {
    if (json[key] === null) continue
    const name = key.trim()
    if (name === key || !isKnown(name)) members.set(key, { key, value: json[key] })
    else if (Object.hasOwn(json, name)) {
      const message = `${JSON.stringify(key)} and ${JSON.stringify(name)} are both given; ${JSON.stringify(name)} is used`
      remarks.push({ path: [key], message, isOnce: false })
    } else {
      const message = `${JSON.stringify(key)} has blanks at its ends; write ${JSON.stringify(name)}`
      remarks.push({ path: [key], message, isOnce: false })
      members.set(name, { key, value: json[key] })
      places.set(formatPointer([name]), [key])
    }
  }
  return members
}

function convert(
  spelling: OlderSpelling,
  given: readonly string[],
  members: Map<string, CurrentMember>,
  places: Map<string, readonly string[]>,
  remarks: SpellingRemark[],
): void {
  const values: JsonObject = {}
  const keys = given.map((path) => {
    const { key, value } = take(members, path)
    setOwn(values, path, value as JsonValue)
    return key
  })
  const { current, advice, hasEffect, warnsOnce: isOnce } = spelling
  const names = given.join(', ')
  const be = given.length > 1 ? 'are' : 'is'
  const path = pathOf(given[0] as string, keys[0] as string)
  if (!hasEffect) {
    remarks.push({ path, message: `${names} ${given.length > 1 ? 'have' : 'has'} no effect: ${advice}`, isOnce })
    return
  }
  if (current !== null && memberAt(members, current) !== undefined) {
    remarks.push({ path, message: `${names} and ${current} are both given; ${current} is used`, isOnce })
    return
  }
  remarks.push({ path, message: `${names} ${be} deprecated; ${advice}`, isOnce })
  const patch = spelling.convert(values, asObject(members))
  for (const name of Object.keys(patch)) {
    const key = members.get(name)?.key
    if (key === undefined) places.set(formatPointer([name]), path)
    members.set(name, { key: key ?? (keys[0] as string), value: patch[name] })
  }
  if (current !== null) places.set(formatPointer(current.split('.')), path)
}

function pathOf(path: string, key: string): string[] {
  return [key, ...path.split('.').slice(1)]
}

function asObject(members: ReadonlyMap<string, CurrentMember>): JsonObject {
  const object: JsonObject = {}
  for (const [name, { value }] of members) setOwn(object, name, value as JsonValue)
  return object
}

/** The value of `a`, or of the member `b` of the object `a`. */
function memberAt(members: ReadonlyMap<string, CurrentMember>, path: string): unknown {
  const dot = path.indexOf('.')
  if (dot < 0) return members.get(path)?.value
  const value = members.get(path.slice(0, dot))?.value
  const inner = path.slice(dot + 1)
  return isPlainObject(value) && Object.hasOwn(value, inner) ? (value[inner] ?? undefined) : undefined
}

/** Removes a member and returns it. Objects of the document are not changed. */
function take(members: Map<string, CurrentMember>, path: string): CurrentMember {
  const [name = '', inner] = path.split('.')
  const member = members.get(name) as CurrentMember
  if (inner === undefined) {
    members.delete(name)
    return member
  }
  const outer = member.value as Record<string, unknown>
  const rest: Record<string, unknown> = {}
  for (const key of Object.keys(outer)) if (key !== inner) setOwn(rest as JsonObject, key, outer[key] as JsonValue)
  members.set(name, { key: member.key, value: rest })
  return { key: member.key, value: outer[inner] }
}
