import type { ContextKey } from '#http'
import type { JsonObject } from '#json'
import type { LogEvent } from '#logging'
import type { DecodedMembers, Members } from './composites.ts'
import { object } from './composites.ts'
import type { Settled } from './deferred.ts'
import type { Environment } from './environment.ts'
import type { Decoded, Field } from './field.ts'
import type { FieldMigration } from './field-migration.ts'
import type { Kind } from './kind.ts'
import { ignored, type OlderSpelling } from './older-spelling.ts'
import type { Typed } from './reference.ts'
import type { PresenceRule } from './rules.ts'

/** Definition of an object type: source of docs, JSON Schema and forms. */
export interface TypeDefinition {
  /** The `type` users write; also the title of its page. */
  readonly name: string
  readonly aliases: readonly string[]
  /** Null where each object has its own kind (Delegate). */
  readonly kind: Kind | null
  /** One sentence for lists and the head of the page. */
  readonly summary: string
  readonly config: Field
  readonly rules: readonly PresenceRule[]
  /** For decorators: the field of the value beside `type` and `config`. */
  readonly settings: Field | null
  /** Set for a deprecated type: its replacement. */
  readonly replacement: string | null
  /** The object as it is declared now; null where its declaration is current. */
  migrate(declaration: JsonObject, place: ObjectPlace): JsonObject | null
  /** Whether its objects may set the server of a request, or send requests to the server that is set. */
  readonly target: 'sets' | 'needs' | null
  /** Contexts of the requests that its objects pass on. */
  readonly provides: readonly AnyContext[]
  /** The fields whose handlers get the request instead of the next one, with the contexts that it has there. */
  readonly diverts: Readonly<Record<string, readonly AnyContext[]>>
  readonly needs: readonly Need[]
  /** Types that stand before it where a chain has both, since they have no effect behind it. */
  readonly after: readonly string[]
  /** Names of the metrics that its objects report. */
  readonly metrics: readonly string[]
  /** Log events of its objects. */
  readonly events: readonly LogEvent[]
  /** Checks settled values; reports with a path below `config`, or warns. Rules over more than values are in `create`: files, secrets, the gateway. */
  check(config: never, report: (path: string, message: string) => void, warn: Warn): void
  /** May read local files; must not depend on the network, or a reload fails while a peer is down. */
  create(config: never, env: Environment): unknown
}

/** Warns of accepted configuration; with a path below `config`, else about the object. */
export type Warn = (message: string, path?: string) => void

/** A context of any value. */
type AnyContext = ContextKey<unknown>

/** A context without which part of a configuration has no effect. */
interface Need {
  readonly context: AnyContext
  /** The field that uses it; always where it is left out. */
  readonly field?: string
  /** What happens without the context: the rest of a warning that begins with its name. */
  readonly consequence: string
}

/** Where an object is declared. */
export interface ObjectPlace {
  /** Kinds of objects that the place is for; null in a heap. */
  readonly kinds: readonly Kind[] | null
  /** Whether the document is admin.json. */
  readonly isAdmin: boolean
}

interface TypeSource<M extends Members, T> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly config: M
  readonly rules?: readonly PresenceRule[]
  /** Fields of other dialects. */
  readonly older?: readonly OlderSpelling[]
  /** Conversions of deprecated fields in files. */
  readonly migrations?: readonly FieldMigration[]
  readonly replacement?: string
  readonly target?: 'sets' | 'needs' | null
  readonly provides?: readonly AnyContext[]
  readonly diverts?: Readonly<Record<string, readonly AnyContext[]>>
  readonly needs?: readonly Need[]
  readonly after?: readonly string[]
  readonly metrics?: readonly string[]
  readonly events?: readonly LogEvent[]
  migrate?(declaration: JsonObject, place: ObjectPlace): JsonObject | null
  check?(config: Settled<DecodedMembers<M>>, report: (path: string, message: string) => void, warn: Warn): void
  create(config: Settled<DecodedMembers<M>>, env: Environment): T | Promise<T>
}

/** Defines an object type of a kind. */
export function defineType<M extends Members, T>(
  source: TypeSource<M, T> & { readonly kind: Kind<T> },
): TypeDefinition {
  return { ...complete(source), kind: source.kind, settings: null }
}

/** Defines a type whose objects have different kinds. */
export function defineTypeOfAnyKind<M extends Members>(source: TypeSource<M, Typed>): TypeDefinition {
  return { ...complete(source), kind: null, settings: null }
}

/** An object that wraps other objects when they are built. */
export interface Decorator {
  /** A wrapper for each kind, by the kind's name; a kind that is missing can not be decorated. */
  readonly wraps: Readonly<Record<string, Wrap>>
}

/** Wraps one object; `settings` is the settled value written beside its `type`. */
export type Wrap = (inner: never, settings: never, env: Environment) => unknown

/** A wrapper with the type of its kind. */
export function wrap<T, S>(_kind: Kind<T>, wrapper: (inner: T, settings: S, env: Environment) => T): Wrap {
  return wrapper as unknown as Wrap
}

/** Defines a decorator type: `settings` is the field of the value under the decorator's name. */
export function defineDecorator<M extends Members, F extends Field>(
  source: TypeSource<M, Decorator> & { readonly kind: Kind<Decorator>; readonly settings: F },
): TypeDefinition {
  return { ...complete(source), kind: source.kind, settings: source.settings }
}

/** The settled settings of a decorator. */
export type Settings<F extends Field> = Settled<Decoded<F>>

/** Fields that OpenIG 2 to 4 read from the configuration of every object. */
const OF_ANY_TYPE: readonly OlderSpelling[] = [
  ignored('logSink', 'the gateway has one log; set logging in admin.json and remove logSink', { warnsOnce: true }),
  ignored('timer', 'write "timer": true beside type and config instead', { warnsOnce: true }),
  ignored('temporaryStorage', 'objects of this type buffer nothing; remove it', { warnsOnce: true }),
]

function complete<M extends Members, T>(source: TypeSource<M, T>): Omit<TypeDefinition, 'kind' | 'settings'> {
  const { rules = [], older = [], migrations = [] } = source
  const ofAnyType = OF_ANY_TYPE.filter(({ old: [name = ''] }) => !Object.hasOwn(source.config, name))
  return {
    name: source.name,
    aliases: source.aliases ?? [],
    summary: source.summary,
    config: object(source.config, { rules, older: [...older, ...ofAnyType], migrations }),
    rules,
    replacement: source.replacement ?? null,
    target: source.target ?? null,
    provides: source.provides ?? [],
    diverts: source.diverts ?? {},
    needs: source.needs ?? [],
    after: source.after ?? [],
    metrics: source.metrics ?? [],
    events: source.events ?? [],
    migrate: source.migrate ?? (() => null),
    check: (source.check ?? (() => {})) as TypeDefinition['check'],
    create: source.create as TypeDefinition['create'],
  }
}
