import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Action, Description } from '../protocol/endpoint.ts'

/** Content of a data file that describes endpoints and their actions for clients. */
interface ApiData<E extends string, A extends string> {
  /** Parts of the descriptions: an object `{ "...": "name" }`, or with a list of names, has their members besides its own. */
  readonly parts?: object
  readonly endpoints: Readonly<Record<E, object>>
  readonly actions?: Readonly<Record<A, object>>
}

/** An action without its code. */
type ActionDescription = Omit<Action, 'run'>

/** The descriptions of a data file, by the names in it. */
export function apiDescriptions<E extends string, A extends string = never>({
  parts = {},
  endpoints,
  actions,
}: ApiData<E, A>): {
  readonly endpoints: Readonly<Record<E, Description>>
  readonly actions: Readonly<Record<A, ActionDescription>>
} {
  const whole = withParts({ endpoints, actions: actions ?? {} } as unknown as JsonObject, parts as JsonObject)
  return whole as unknown as ReturnType<typeof apiDescriptions<E, A>>
}

function withParts(value: JsonValue, parts: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withParts(each, parts))
  if (!isPlainObject(value)) return value
  const { '...': names = [], ...own } = value as JsonObject
  const members = [names].flat().map((name) => withParts(parts[name as string] as JsonObject, parts) as JsonObject)
  const entries = Object.entries(own).map(([name, each]) => [name, withParts(each, parts)] as const)
  return Object.assign({}, ...members, Object.fromEntries(entries)) as JsonObject
}
