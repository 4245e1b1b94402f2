import type { Exchange } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { PatchOperation } from '../patch/operation.ts'
import type { Query } from '../query/query.ts'
import type { ResultPage } from '../query/result-page.ts'
import type { BodyLimits } from '../resource-size.ts'
import type { ApiVersions } from './api-version.ts'
import type { Outcome } from './refusal.ts'

/** A resource of a provider. */
export interface Resource {
  readonly id: string
  /** Null where the provider has no revisions. */
  readonly revision: string | null
  /** All fields but `_id` and `_rev`. */
  readonly content: JsonObject
  /** Further fields that are sent only when `_fields` names them. */
  readonly onRequest?: JsonObject
  /** One field of `content` or `more`, for providers that can compute it without the others. */
  field?(name: string): JsonValue | undefined
}

/** Context of a request for a provider. */
export interface Call {
  readonly exchange: Exchange
  readonly versions: ApiVersions
}

/** A parameter of an action or of a stored query. */
export interface ParameterDescription {
  readonly name: string
  readonly description: string
  readonly required?: boolean
}

export interface ActionInput {
  /** Null for an action of the collection. */
  readonly id: string | null
  /** Null where the request has no body. */
  readonly body: JsonValue
  readonly parameters: Readonly<Record<string, string>>
}

/** An action of a collection or of its resources. */
export interface Action {
  readonly description: string
  readonly parameters?: readonly ParameterDescription[]
  /** JSON Schemas of request and response. */
  readonly request?: JsonObject
  readonly response?: JsonObject
  /** Null for 204. */
  run(call: Call, input: ActionInput): Outcome<JsonValue>
}

/** A stored query. */
interface StoredQuery {
  readonly description: string
  readonly parameters?: readonly ParameterDescription[]
}

/** Description of an endpoint for clients; the protocol enforces parts of it. */
export interface Description {
  /** Identifies the endpoint in its compact descriptor, such as `gateway:routes`. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** The version of the resource, such as `1.0`. */
  readonly version: string
  /** JSON Schema of a resource. */
  readonly schema: JsonObject
  /** JSON Schema of responses, where it differs from that of requests. */
  readonly answer?: JsonObject
  /** Regular expression of valid ids. */
  readonly idPattern?: string
  /** False where resources have no `_rev`. */
  readonly revisions?: boolean
  /** Whether updates, patches and deletes need a revision; without one they get 428. */
  readonly requiresRevision?: boolean
  /** Origin of ids of new resources; both by default. */
  readonly ids?: 'client' | 'server' | 'both'
  /**
   * Fields with a revision of their own, by the field of that revision. A read of the first includes the second, and is not
   * modified (304) only where that is unchanged.
   */
  readonly fieldRevisions?: Readonly<Record<string, string>>
  /** Limits of request bodies, where they differ from those of other endpoints. */
  readonly bodyLimits?: BodyLimits
  /** Fields that can be read with `_mimeType`, and their media types. */
  readonly media?: Readonly<Record<string, readonly string[]>>
}

/** A collection. A verb without a method is 501 and missing from the descriptors. */
export interface Collection {
  readonly kind: 'collection'
  readonly description: Description
  /** An existing id is rejected with 412; `id` is null where the server chooses. */
  create?(call: Call, id: string | null, content: JsonObject): Outcome<Resource>
  read?(call: Call, id: string): Outcome<Resource>
  /** `revision`: the expected one, or null for any. Another than the current one is rejected with 412. */
  update?(call: Call, id: string, content: JsonObject, revision: string | null): Outcome<Resource>
  delete?(call: Call, id: string, revision: string | null): Outcome<Resource>
  patch?(call: Call, id: string, operations: readonly PatchOperation[], revision: string | null): Outcome<Resource>
  query?(call: Call, query: Query): Outcome<ResultPage<Resource>>
  /** Actions of the collection and of each resource, by name. */
  readonly actions?: Readonly<Record<string, Action>>
  readonly resourceActions?: Readonly<Record<string, Action>>
  readonly queries?: Readonly<Record<string, StoredQuery>>
  /** Whether `_queryExpression` is supported. */
  readonly queryExpressions?: boolean
}

/** Server-Sent Events in place of a resource; served by the owner of the endpoint. */
interface EventsDescription {
  readonly parameters: readonly ParameterDescription[]
}

/** A resource without a collection. */
export interface Singleton {
  readonly kind: 'singleton'
  readonly description: Description
  read?(call: Call): Outcome<Resource>
  update?(call: Call, content: JsonObject, revision: string | null): Outcome<Resource>
  patch?(call: Call, operations: readonly PatchOperation[], revision: string | null): Outcome<Resource>
  readonly actions?: Readonly<Record<string, Action>>
  /** A GET is a stream of events, each as the schema describes. */
  readonly events?: EventsDescription
}

/** An endpoint at a path. */
export type Endpoint = Collection | Singleton
