import type { Exchange } from '#http'
import { kind, type Secret } from '#schema'

/** A resource that its owner shares with others. */
export interface UmaShare {
  readonly id: string
  /** The pattern of its paths. */
  readonly path: string
  /** Id of the resource at the authorization server. */
  readonly resourceId: string
  /** Protection API token, by which the owner lets the gateway act at the authorization server. */
  readonly pat: Secret
}

/** An authorization server for UMA. */
export interface UmaEndpoints {
  /** 1.0 names parameters differently, and clients authenticate to introspect tokens. */
  readonly version: '2.0' | '1.0'
  /** URI of the server in challenges. */
  readonly server: string
  readonly registration: string
  readonly permission: string
  readonly introspection: string
  /** The gateway as a client of a server for UMA 1.0; null for 2.0. */
  readonly client: { readonly id: string; secret(): Promise<Secret> } | null
}

/** A resource server for UMA: resources that are shared, and the scopes that requests for them need. */
export interface UmaService {
  /** The share with the longest pattern that matches a path; null where the path is not shared. */
  findShare(path: string): Promise<UmaShare | null>
  /** The scopes that a request for a share needs; empty where it fits no action. Rejects where a condition fails. */
  requiredScopes(share: UmaShare, exchange: Exchange): Promise<ReadonlySet<string>>
  /** Rejects where the metadata of the server can not be read. */
  endpoints(): Promise<UmaEndpoints>
}

export const UmaServiceKind = kind<UmaService>('UmaService')
