import { ActiveMqBroker, activeMqMissing } from '../test/interop/activemq/broker.ts'
import { filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow } from './added-cost.ts'
import { type AlternatingState, measureAlternating } from './alternating.ts'
import { eventCost } from './audit-event.ts'
import { startGateway } from './gateway-server.ts'
import { load } from './load.ts'
import type { Rounds } from './measure.ts'
import { startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Targets: the ratio of a route with access audit to the same without. */
export const auditTargets = { file: 1.1, stdout: 1.1, jms: 1.2, noOp: 1.0 } as const

/** Code of the control thread runs with each batch, not with each request: it is compiled after some seconds of load. */
const WARM_UPS = 12
/** Two equal routes differ by as much in one run. */
const NOISE = 0.05

const toFile = 'file'
const toStdout = 'standard output'
const toJms = 'JMS (ActiveMQ, PERSISTENT)'
const noOp = 'NoOpAuditService'

/** Measures the cost of access events, with the default safelist. */
export async function auditBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  progress(`an access event alone, from its data to the records of the writer: ${eventCost().toFixed(1)} µs CPU`)
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const route = (path: string, auditService?: object) => ({
    ...filteredRoute(`/${path}`, upstream, []),
    ...(auditService !== undefined && { auditService }),
  })
  const routes = new Map<string, unknown>([
    ['none', route('none')],
    ['noop', route('noop', { type: 'NoOpAuditService' })],
    ['file', route('file', service('JsonAuditEventHandler', { logDirectory: 'trail' }))],
    ['stdout', route('stdout', service('JsonStdoutAuditEventHandler', {}))],
  ])
  if (activeMqMissing === false) {
    const broker = servers.use(await ActiveMqBroker.start())
    routes.set('jms', route('jms', service('JmsAuditEventHandler', jmsConfig(broker.port))))
  } else {
    progress(`without JMS: ${activeMqMissing}`)
  }
  const { server, url } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)
  const state = (name: string, path: string): AlternatingState => ({
    name,
    server,
    load: (options) => load(`${url}/${path}`, options),
  })
  const states = [
    state(noOp, 'noop'),
    state(toFile, 'file'),
    state(toStdout, 'stdout'),
    ...(routes.has('jms') ? [state(toJms, 'jms')] : []),
  ]
  return await measureAlternating(state('no audit', 'none'), states, rounds, progress, WARM_UPS)
}

/** Messages for the missed targets. */
export function missedAuditTargets(rows: readonly ComparedRow[]): string[] {
  return [
    ...aboveRatio(rows, [toFile], auditTargets.file),
    ...aboveRatio(rows, [toStdout], auditTargets.stdout),
    ...(rows.some(({ name }) => name === toJms) ? aboveRatio(rows, [toJms], auditTargets.jms) : []),
    ...aboveRatio(rows, [noOp], auditTargets.noOp + NOISE),
  ]
}

function service(handler: string, config: object): object {
  return {
    type: 'AuditService',
    config: { eventHandlers: [{ class: handler, config: { name: 'bench', topics: ['access'], ...config } }] },
  }
}

function jmsConfig(port: number): object {
  return {
    deliveryMode: 'PERSISTENT',
    sessionMode: 'AUTO',
    jndi: {
      contextProperties: {
        'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
        'java.naming.provider.url': `tcp://127.0.0.1:${port}`,
        'topic.audit': 'bench.audit',
      },
      topicName: 'audit',
      connectionFactoryName: 'ConnectionFactory',
    },
  }
}
