import { type ApiSecurity, commonRest, type ServedEndpoint } from '#crest'
import type { Handler } from '#http'
import { auditedHandler } from '../../audit/audited-handler.ts'
import type { ConfigAudit } from '../../audit/config-audit.ts'
import type { Fleet } from '../fleet.ts'
import type { ReleaseMaking } from '../release-making.ts'
import { INSTANCES, isFleetPath, RELEASES } from './fleet-paths.ts'
import { instancesCollection } from './instances-collection.ts'
import { releasesCollection } from './releases-collection.ts'

/** The endpoints of a fleet. */
export interface FleetApi {
  readonly endpoints: readonly ServedEndpoint[]
  /** The handler of a path; null for another path. */
  handlerOf(rawPath: string): Handler | null
}

/** Releases and instances in the management API. */
export function fleetApi(
  fleet: Fleet,
  making: ReleaseMaking,
  security: ApiSecurity | null,
  audit: ConfigAudit,
): FleetApi {
  const [releases, instances] = [releasesCollection(fleet, making), instancesCollection(fleet)]
  const ofReleases = auditedHandler(commonRest(releases, { base: RELEASES, security }), RELEASES, audit)
  const ofInstances = commonRest(instances, { base: INSTANCES, security })
  return {
    endpoints: [
      { endpoint: releases, base: RELEASES },
      { endpoint: instances, base: INSTANCES },
    ],
    handlerOf: (rawPath) => {
      if (!isFleetPath(rawPath)) return null
      return rawPath.startsWith(RELEASES) ? ofReleases : ofInstances
    },
  }
}
