// Types of the flows of this suite, and its servers.

import type { Chromium } from '#test/chromium'
import type { GatewayProcess } from '#test/gateway-process'
import type { RedisServer } from '#test/redis'
import type { Flow } from '../flows.ts'
import type { Relay } from '../relay.ts'
import type { AdminApi } from './admin-api.ts'
import type { Application } from './application.ts'
import type { KeycloakServer } from './keycloak-server.ts'

export const REALM = 'shop'

/** Addresses, known before anything is configured. */
export interface Addresses {
  /** The gateway, for browsers. */
  readonly app: string
  readonly secureApp: string
  /** The gateway, for Keycloak. */
  readonly internalApp: string
  readonly secureInternalApp: string
  /** The realm for the gateway, through the relay. */
  readonly provider: string
  /** The same over TLS with a certificate of a private authority, without the relay. */
  readonly secureProvider: string
  /** The realm as browsers see it, and `iss` of its tokens. */
  readonly issuer: string
  /** Certificates of the authority that issued the one of `secureProvider`. */
  readonly authorityFile: string
  readonly redis: string | null
  readonly application: string
}

/** Servers of a run. */
export interface Peers {
  readonly at: Addresses
  readonly keycloak: KeycloakServer
  readonly admin: AdminApi
  readonly relay: Relay
  readonly application: Application
  readonly gateway: GatewayProcess
  readonly redis: RedisServer | null
  readonly chromium: Chromium | null
}

/** A ClientRepresentation of Keycloak. */
export interface Client {
  readonly clientId: string
  readonly [field: string]: unknown
}

/** Flows with the clients, routes and files they need. */
export interface Part {
  readonly clients: (at: Addresses) => readonly Client[]
  readonly routes: (at: Addresses) => Readonly<Record<string, object>>
  /** Files of the instance. */
  readonly files?: (at: Addresses) => Readonly<Record<string, string>>
  readonly flows: readonly Flow<Peers>[]
}
