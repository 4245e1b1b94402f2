import type { ServerTls, UnitSettings } from '#contracts'
import { type AdminInput, buildAdmin } from '#instance'
import { type JsonObject, readDocument } from '#json'

/** TLS of a unit's connectors, in the order of the settings. */
export interface ConnectorTls {
  readonly tls: readonly (ServerTls | null)[]
  /** Reads keystores and secrets again. */
  reload(): void
  dispose(): Promise<void>
}

/** Builds the TLS objects of admin.json for one unit; none where no connector uses TLS. */
export async function openConnectorTls({ admin }: UnitSettings, input: AdminInput): Promise<ConnectorTls> {
  if (admin === null) return { tls: [], reload: () => {}, dispose: async () => {} }
  const built = await buildAdmin(readDocument(admin).value as JsonObject, input)
  return {
    tls: built.fields.connectors.map(({ tls }) => tls ?? null),
    reload: built.reload,
    dispose: built.dispose,
  }
}
