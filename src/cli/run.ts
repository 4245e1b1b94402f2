import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CATALOGUE } from '#catalogue'
import { type AdminSettings, Gateway, openAdminSettings, readConfigFile, UnitStartError } from '#control'
import { instanceDirectories, instanceDirectory, loadExtensions } from '#instance'
import { type JsonDocument, type JsonObject, JsonSyntaxError } from '#json'
import { createLogger, type Logger, type LogLevel } from '#logging'
import { ConfigError, type Problem } from '#schema'
import { EXIT } from './exit-codes.ts'
import { formatPlacedProblem } from './problems.ts'
import { untilStopped } from './signals.ts'
import type { Surroundings } from './surroundings.ts'
import { VERSION } from './version.ts'

/** `gateway run`: runs an instance until it is told to stop. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { instance: { type: 'string' } } })
  const instance = instanceDirectory(values.instance, surroundings.env)
  const opened = await openSettings(instance, surroundings)
  if (opened === null) return EXIT.configuration
  const logger = gatewayLogger(opened)
  const gateway = new Gateway({
    settings: opened,
    unitEntry: surroundings.unitEntry,
    logger,
    env: surroundings.env,
    ...VERSION,
  })
  for (const { pointer, message } of opened.warnings) logger.warn({ file: 'admin.json', pointer }, message)
  try {
    await gateway.start()
  } catch (error) {
    await gateway.terminate()
    return reportFailedStart(error, instance, surroundings, logger)
  }
  logger.info(
    { ports: gateway.ports, admin: gateway.adminPort, units: opened.unit.units, mode: opened.unit.mode },
    'the gateway is ready',
  )
  return untilStopped(gateway, logger)
}

/** Reads admin.json; null after its problems have been printed. */
export async function openSettings(instance: string, { env, stderr }: Surroundings): Promise<AdminSettings | null> {
  const directories = instanceDirectories(instance)
  const path = join(directories.config, 'admin.json')
  let document: JsonDocument | null = null
  try {
    document = readConfigFile(path)
    const types = [...CATALOGUE, ...(await loadExtensions(directories.extra))]
    const logger = createLogger({ level: 'info', format: 'auto' }).child({ logger: 'admin' })
    return await openAdminSettings(document.value as JsonObject, { instance, types, env, logger })
  } catch (error) {
    for (const problem of problemsOf(error)) stderr.write(`${formatPlacedProblem(path, document, problem)}\n`)
    return null
  }
}

function gatewayLogger({ unit }: AdminSettings): Logger {
  return createLogger({ level: unit.logging.level as LogLevel, format: unit.logging.format }).child({
    logger: 'gateway',
  })
}

function reportFailedStart(error: unknown, instance: string, { stderr }: Surroundings, logger: Logger): number {
  const problems = error instanceof UnitStartError ? error.problems : []
  if (problems.length === 0) {
    logger.error({ error }, 'the gateway could not start')
    return EXIT.failed
  }
  const path = join(instanceDirectories(instance).config, 'config.json')
  const document = readConfigFile(path)
  for (const problem of problems) stderr.write(`${formatPlacedProblem(path, document, problem)}\n`)
  return EXIT.configuration
}

function problemsOf(error: unknown): readonly (Problem & { line?: number; column?: number })[] {
  if (error instanceof ConfigError) return error.problems
  if (error instanceof JsonSyntaxError) {
    const { line, column } = error
    return [{ pointer: '', message: error.message.replace(/^line \d+, column \d+: /, ''), line, column }]
  }
  throw error
}
