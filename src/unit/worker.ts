import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { CATALOGUE } from '#catalogue'
import type { ToUnit, UnitSettings } from '#contracts'
import { instanceDirectories, loadExtensions } from '#instance'
import { TrafficListeners } from '#listener'
import { createLogger, type LogLevel } from '#logging'
import { MetricsRegistry, measureThread, TICK_SECONDS } from '#metrics'
import { ConfigError, systemClock } from '#schema'
import { type ConnectorTls, openConnectorTls } from './connector-tls.ts'
import { Connectors } from './connectors.ts'
import { ControlLink } from './control-link.ts'
import { tryMessage } from './route-trials.ts'
import { Routers } from './routers.ts'
import { Unit } from './unit.ts'

/** The thread of one unit: opens it, then does what the control plane says. */
async function serve(settings: UnitSettings, port: MessagePort): Promise<void> {
  const { level, format } = settings.logging
  const logger = createLogger({ level: level as LogLevel, format }).child({ logger: 'gateway', unit: settings.unit })
  const link = new ControlLink(port)
  const metrics = new MetricsRegistry()
  const routers = new Routers(link, metrics)
  setInterval(() => metrics.tick(), TICK_SECONDS * 1000).unref()
  const measuring = measureThread(metrics.open(), `unit-${settings.unit}`)
  let unit: Unit | null = null
  let connectors: Connectors | null = null
  let connectorTls: ConnectorTls | null = null
  const reloads = new Set<() => void>()
  const ownListeners = new TrafficListeners(settings.connectors)

  const act = async (message: ToUnit): Promise<void> => {
    switch (message.type) {
      case 'prepare': {
        const { deploy, directory, changes } = message
        return link.send({ type: 'prepared', deploy, problems: await routers.prepare(deploy, directory, changes) })
      }
      case 'commit':
        routers.commit(message.deploy, message.changes)
        return link.send({ type: 'committed', deploy: message.deploy })
      case 'collect':
        return link.send({ type: 'collected', ask: message.ask, report: metrics.report() })
      case 'try-routes': {
        if (unit === null) return undefined
        const answer = await tryMessage(message, routers, settings, unit.storage, logger)
        return link.send({ type: 'routes-tried', ask: message.ask, answer })
      }
      case 'reload':
        connectorTls?.reload()
        for (const refresh of [...reloads]) refresh()
        return undefined
      case 'drain': {
        const aborted = (await connectors?.drain()) ?? 0
        await unit?.close()
        await connectorTls?.dispose()
        measuring[Symbol.dispose]()
        link.send({ type: 'drained', aborted })
        return port.close()
      }
      default:
        return undefined
    }
  }
  port.on('message', (message: ToUnit) => {
    if (!link.answered(message)) void act(message)
  })

  try {
    const directories = instanceDirectories(settings.instance, settings.temporaryDirectory)
    unit = await Unit.open({
      directories,
      mode: settings.mode,
      units: settings.units,
      transactionIdHeader: settings.transactionIdHeader,
      ownListeners,
      streaming: settings.streamingEnabled,
      studio: settings.studio,
      webSocketSubProtocols: settings.webSocketSubProtocols,
      entityLimits: settings.entityLimits,
      scriptTimeout: settings.scriptTimeout,
      scriptDeadline: settings.scriptDeadline,
      config: settings.config,
      types: CATALOGUE,
      feed: link,
      routers,
      metrics,
      logger,
      clock: systemClock,
      env: process.env,
      system: settings.systemProperties,
      onReload: (refresh) => {
        reloads.add(refresh)
        return () => reloads.delete(refresh)
      },
    })
    for (const { pointer, message } of settings.unit === 0 ? unit.warnings : []) logger.warn({ pointer }, message)
    connectorTls = await openConnectorTls(settings, {
      instance: settings.instance,
      types: [...CATALOGUE, ...(await loadExtensions(directories.extra))],
      env: process.env,
      system: settings.systemProperties,
      logger,
    })
    connectors = await Connectors.open(settings, unit.handler, unit.storage, logger, connectorTls.tls)
    ownListeners.opened(connectors.ports)
    measureConnectors(metrics, connectors)
    link.send({ type: 'ready', ports: connectors.ports })
  } catch (error) {
    const problems = error instanceof ConfigError ? [...error.problems] : []
    link.send({ type: 'failed', problems, message: (error as Error).message })
    // A port that was opened before another failed would keep a thread alive that serves nothing.
    process.exit(1)
  }
}

function measureConnectors(metrics: MetricsRegistry, connectors: Connectors): void {
  const help = 'Connections that were closed at once, since too many files were open.'
  metrics.open().countReading('gw_connections_refused_total', help, { read: () => connectors.refused })
}

await serve(workerData as UnitSettings, parentPort as MessagePort)
