import {
  config,
  type DecodedMembers,
  duration,
  type HealthCheckPlan,
  integer,
  object,
  oneOf,
  type Settled,
  string,
} from '#schema'
import { checkStatuses, statusesField, statusRanges } from './status-ranges.ts'

const FIELDS = {
  type: config(oneOf(['http', 'tcp', 'grpc']))
    .default('http')
    .meta({ description: 'http: a request. tcp: a connection alone. grpc: grpc.health.v1.Health/Check.' }),
  path: config(string({ nonEmpty: true }))
    .default('/')
    .meta({ description: 'Path and query of the request.' }),
  method: config(oneOf(['GET', 'HEAD', 'OPTIONS', 'POST']))
    .default('GET')
    .meta({ description: 'Method of the request.' }),
  host: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Host of the request; by default that of the server.' }),
  port: config(integer({ min: 1, max: 65_535 }))
    .optional()
    .meta({ description: 'Port of the check; by default that of the server.' }),
  service: config(string())
    .default('')
    .meta({ description: 'Service of a gRPC check, of at most 100 characters; by default the server as a whole.' }),
  interval: config(duration({ min: '100 ms', unlimited: false }))
    .default('10 seconds')
    .meta({ description: 'Time between two checks of a server.' }),
  timeout: config(duration({ zero: false, unlimited: false, max: '5 minutes' }))
    .default('2 seconds')
    .meta({ description: 'Time in which a check must have its response.' }),
  unhealthyThreshold: config(integer({ min: 1, max: 1_000 }))
    .default(3)
    .meta({
      description:
        'Failed checks in a row after which a server is unhealthy; the first check of a server counts at once.',
    }),
  healthyThreshold: config(integer({ min: 1, max: 1_000 }))
    .default(2)
    .meta({ description: 'Successful checks in a row after which an unhealthy server is healthy.' }),
  expectedStatuses: statusesField('Statuses of a healthy server.', ['200-299']),
}

/** The field `healthCheck`. */
export const HEALTH_CHECK_FIELD = object(FIELDS).optional().meta({
  description:
    'Checks the servers, once for the whole gateway, with the TLS options of the handler. Without it all servers count as healthy.',
})

type HealthValues = Settled<DecodedMembers<typeof FIELDS>>

/** Reports settings that no check can have. */
export function checkHealth(
  { path, service, expectedStatuses }: HealthValues,
  report: (path: string, message: string) => void,
): void {
  if (!/^\/[\x21-\x7e]*$/.test(path))
    report('/healthCheck/path', `expected a path such as "/health", got ${JSON.stringify(path)}`)
  if (Buffer.byteLength(service) > 100) report('/healthCheck/service', 'expected at most 100 characters')
  checkStatuses(expectedStatuses, '/healthCheck/expectedStatuses', report)
}

export function healthPlanOf({ host, port, expectedStatuses, ...others }: HealthValues): HealthCheckPlan {
  return { ...others, host: host ?? null, port: port ?? null, expectedStatuses: statusRanges(expectedStatuses) }
}
