import type { AmService as AccessManager } from '#contracts'
import type { JsonObject } from '#json'
import { TransactionIdOutboundFilter } from '../../src/objects/filters/transaction-id-outbound/transaction-id-outbound-filter.ts'
import { Chain } from '../../src/objects/handlers/chain/chain.ts'
import { ClientHandler } from '../../src/objects/handlers/reverse-proxy/client-handler.ts'
import { AmService } from '../../src/objects/services/am/am-service.ts'
import { NoOpAuditService } from '../../src/objects/services/no-op-audit/no-op-audit-service.ts'
import { ScheduledExecutorService } from '../../src/objects/services/scheduled-executor/scheduled-executor-service.ts'
import { Base64EncodedSecretStore } from '../../src/objects/stores/base64-encoded/base64-encoded-secret-store.ts'
import { type BuildOptions, type Built, build } from './build.ts'

/** The heap objects that an AmService needs, and the password of the agent of a development access manager. */
const TYPES = [ClientHandler, Chain, TransactionIdOutboundFilter, NoOpAuditService, Base64EncodedSecretStore]
const HEAP = [
  { name: 'ClientHandler', type: 'ClientHandler' },
  {
    name: 'ForgeRockClientHandler',
    type: 'Chain',
    config: { filters: [{ type: 'TransactionIdOutboundFilter' }], handler: 'ClientHandler' },
  },
  { name: 'AuditService', type: 'NoOpAuditService' },
  {
    name: 'secrets',
    type: 'Base64EncodedSecretStore',
    config: { secrets: { 'agent.password': btoa('password'), 'wrong.password': btoa('guess') } },
  },
]

/** The configuration of an AmService for a server, with defaults. */
export function amServiceConfig(url: string, config: JsonObject = {}): JsonObject {
  return {
    url,
    agent: { username: 'ig_agent', passwordSecretId: 'agent.password' },
    secretsProvider: 'secrets',
    ...config,
  }
}

/** Builds an AmService for a server; with the executor of the options, or a real one. */
export function buildAmService(
  url: string,
  config: JsonObject = {},
  { types = [], heap = [], ...options }: BuildOptions = {},
): Promise<Built<AccessManager>> {
  const named = heap.map((each) => (each as { name?: string } | null)?.name)
  const waits = named.includes('ScheduledExecutorService')
  return build<AccessManager>(AmService, amServiceConfig(url, config), {
    ...options,
    types: [...TYPES, ...(waits ? [] : [ScheduledExecutorService]), ...types],
    heap: [
      ...HEAP.filter(({ name }) => !named.includes(name)),
      ...(waits ? [] : [{ name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }]),
      ...heap,
    ],
  })
}

/** BuildOptions with `am`, an AmService for a server. */
export function accessManagerOptions(
  url: string,
  config: JsonObject = {},
): Required<Pick<BuildOptions, 'types' | 'heap'>> {
  return {
    types: [...TYPES, ScheduledExecutorService, AmService],
    heap: [
      ...HEAP,
      { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
      { name: 'am', type: 'AmService', config: amServiceConfig(url, config) },
    ],
  }
}
