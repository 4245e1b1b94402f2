import { isPlainObject, type JsonObject } from '#json'
import type { SystemProperties } from './system-properties.ts'

/** The property by which the operator of an OpenIG or PingGateway trusts transaction ids of clients. */
const PROPERTY = 'org.forgerock.http.TrustTransactionHeader'

/** The header that the property is about. */
const HEADER = 'X-ForgeRock-TransactionId'

/**
 * admin.json with the fields that the property stands for. `trustTransactionHeader` of the file decides alone, and a name in
 * `transactionIdHeader` is kept.
 */
export function withTransactionProperty(admin: JsonObject, system: SystemProperties): JsonObject {
  if (Object.hasOwn(admin, 'trustTransactionHeader')) return admin
  const { systemProperties: own } = admin
  const value = system[PROPERTY] ?? (isPlainObject(own) ? own[PROPERTY] : undefined)
  // As Java reads booleans.
  if (typeof value !== 'string' || value.toLowerCase() !== 'true') return admin
  return { transactionIdHeader: HEADER, ...admin, trustTransactionHeader: true }
}
