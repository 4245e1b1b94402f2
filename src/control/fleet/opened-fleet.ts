import type { ApiSecurity } from '#crest'
import type { ConfigAudit } from '../audit/config-audit.ts'
import { type FleetApi, fleetApi } from './api/fleet-api.ts'
import { Fleet } from './fleet.ts'
import { ReleaseMaking } from './release-making.ts'
import type { ServingHost } from './serving-host.ts'

/** A fleet that is open, and its part of the management API. This module is loaded by gateways with a store only. */
export interface OpenedFleet {
  readonly fleet: Fleet
  api(security: ApiSecurity | null, audit: ConfigAudit): FleetApi
}

export async function openFleet(input: Parameters<typeof Fleet.open>[0], host: ServingHost): Promise<OpenedFleet> {
  const fleet = await Fleet.open(input)
  return { fleet, api: (security, audit) => fleetApi(fleet, new ReleaseMaking(fleet, host), security, audit) }
}
