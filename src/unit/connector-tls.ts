import type { ServerTls, UnitSettings } from '#contracts'
import type { Handler } from '#http'
import { type AdminInput, buildAdmin } from '#instance'
import { type JsonObject, readDocument } from '#json'

/** Objects of admin.json for a unit: TLS of its connectors, in the order of the settings, and the handler of errors. */
export interface ConnectorTls {
  readonly tls: readonly (ServerTls | null)[]
  /** Handler of error responses; null without one. */
  readonly errors: Handler | null
  /** Reads keystores and secrets again. */
  reload(): void
  dispose(): Promise<void>
}

/** Builds the objects of admin.json for one unit; none where it needs none. */
export async function openConnectorTls({ admin }: UnitSettings, input: AdminInput): Promise<ConnectorTls> {
  if (admin === null) return { tls: [], errors: null, reload: () => {}, dispose: async () => {} }
  const built = await buildAdmin(readDocument(admin).value as JsonObject, input)
  return {
    tls: built.fields.connectors.map(({ tls }) => tls ?? null),
    errors: typeof built.fields.errors === 'function' ? built.fields.errors : null,
    reload: built.reload,
    dispose: built.dispose,
  }
}
