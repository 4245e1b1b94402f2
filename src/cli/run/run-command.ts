import { type AdminSettings, handoverPath, Predecessor, portsOf, TakeOverError } from '#control'
import { instanceDirectories } from '#instance'
import { createLogger, type Logger } from '#logging'
import type { Command } from '../command.ts'
import type { CommandOption } from '../command-syntax.ts'
import { EXIT } from '../exit-codes.ts'
import { createFolders } from '../init/instance-layout.ts'
import {
  chosenInstance,
  chosenState,
  DEFINE_OPTION,
  definedProperties,
  forInstance,
  INSTANCE_OPTION,
  missingInstance,
  openSettings,
  STATE_OPTION,
} from '../instance-settings.ts'
import { formatLocated, type LocatedProblem } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { VERSION } from '../version.ts'
import { serve } from './serve.ts'
import { unwritableDirectory } from './unwritable-directory.ts'

const TAKE_OVER_OPTION: CommandOption = {
  name: 'take-over',
  description: 'Replace a running gateway of the same instance without an interruption.',
}

/** `gateway run`: runs an instance until a stop signal. */
export const command: Command = {
  usage: ['run [--instance DIR] [--state DIR] [--take-over] [-Dname=value]... [--json]'],
  description: [
    'Serves the routes of an instance until SIGTERM or SIGINT. It then accepts no new connections, lets in-flight requests end within the grace period of their connector, and exits; a second signal ends it at once. SIGHUP reloads all route files, keystores and secrets; one during the start does so when it has ended. SIGUSR1 and SIGUSR2 have no effect.',
    'Route files are watched: a saved file is deployed within a second, and of an invalid file the last good version keeps serving. A missing ~/.gateway is created; any other missing directory is an error.',
    'With --state, nothing is written to the instance, which may be read-only; changes of routes over the management API are rejected with 403.',
    'With --take-over, it replaces a running gateway of the same instance without an interruption, after an upgrade for example: it opens the same ports beside it, takes its sessions, and when it is ready the other one drains and exits with 0. Where it can not start, the other one goes on as before. Without a running gateway it starts as usual.',
    'With --json, the log has JSON lines on a terminal, too.',
  ],
  options: [INSTANCE_OPTION, STATE_OPTION, TAKE_OVER_OPTION, DEFINE_OPTION],
  operands: { least: 0, most: 0 },
  examples: [
    { line: 'gateway run --instance ./my-gateway', note: 'an instance created by `gateway init ./my-gateway`' },
    { line: 'gateway run --instance ./my-gateway --take-over', note: 'replaces the one that runs' },
    { line: 'GATEWAY_LOG_LEVEL=debug gateway run', note: '~/.gateway, with debug log' },
  ],
  exits: [
    [
      EXIT.failed,
      'it could not start, for example because a port is taken or a running gateway can not be taken over, or it stopped after an internal error',
    ],
    [EXIT.forced, 'it got a second signal to stop'],
    [EXIT.configuration, 'admin.json or config.json can not be used'],
  ],
  async run(args, context) {
    const { instance, origin } = chosenInstance(args, context)
    const state = chosenState(args, context)
    if (origin === 'default') mentionOtherVariables(instance, context)
    try {
      if (origin === 'default' && state === null) createFolders(instance)
    } catch (error) {
      const how = 'name another instance with --instance DIR or GATEWAY_INSTANCE_DIR'
      context.stderr.write(`gateway: run: ${instance} can not be made: ${(error as Error).message}; ${how}\n`)
      return EXIT.failed
    }
    const missing = missingInstance(instance)
    if (missing !== null) return refuse([missing], context)
    const unwritable = unwritableDirectory(instance, state)
    if (unwritable !== null) {
      context.stderr.write(`gateway: run: ${unwritable}\n`)
      return EXIT.failed
    }
    const logger = createLogger({ level: 'info', format: args.json ? 'json' : 'auto' }).child({ logger: 'admin' })
    const own = forInstance(context, instance)
    const handover = handoverPath(instanceDirectories(instance, { state }).temporary)
    let predecessor: Predecessor | null = null
    try {
      const takesOver = args.has(TAKE_OVER_OPTION.name)
      if (takesOver) predecessor = await findPredecessor(handover, logger)
      const opened = await openSettings(instance, logger, own, {
        state,
        system: definedProperties(args, context),
        ...(predecessor !== null && { filesReleased: predecessor.filesReleased }),
      })
      if ('problems' in opened) return refuse(opened.problems, context)
      const settings = predecessor === null ? opened.settings : sharedSettings(opened.settings, predecessor)
      const logFormat = args.json ? 'json' : null
      return await serve({ ...opened, settings, logFormat, predecessor, takesOver, handover }, own)
    } catch (error) {
      if (!(error instanceof TakeOverError)) throw error
      context.stderr.write(`gateway: run: --take-over: ${error.message}\n`)
      return EXIT.failed
    } finally {
      predecessor?.close()
    }
  },
}

/** Variables by which start scripts of PingGateway and OpenIG name the instance. */
const OTHER_VARIABLES = ['IG_INSTANCE_DIR', 'OPENIG_BASE']

/** Says that a variable of another gateway does not name the instance. */
function mentionOtherVariables(instance: string, { env, stderr }: ProcessContext): void {
  const name = OTHER_VARIABLES.find((each) => (env[each] ?? '') !== '')
  if (name === undefined) return
  const how = 'name the instance with --instance DIR or GATEWAY_INSTANCE_DIR'
  stderr.write(`gateway: run: ${name} is not read, and ${instance} is served; ${how}\n`)
}

/** The running gateway of the instance; null, with a notice, without one. */
async function findPredecessor(path: string, logger: Logger): Promise<Predecessor | null> {
  const found = await Predecessor.find(path, VERSION.version)
  if (found === null) logger.info({ path }, 'no gateway of this instance runs: there is nothing to take over')
  else logger.info({ pid: found.running.pid, version: found.running.version }, 'taking over from a running gateway')
  return found
}

/** The settings with the ports of the running gateway, where they leave them to the system. */
function sharedSettings(settings: AdminSettings, { running }: Predecessor): AdminSettings {
  const { unit, admin } = settings
  const [port] = admin.ports
  const isShared = port === 0 && admin.host === running.adminHost
  const ports = isShared ? [running.adminPort] : admin.ports
  return {
    ...settings,
    unit: {
      ...unit,
      connectors: portsOf(unit.connectors, running.connectors),
      management: { ...unit.management, ports },
    },
    admin: { ...admin, ports },
  }
}

function refuse(problems: readonly LocatedProblem[], { stderr }: ProcessContext): number {
  for (const problem of problems) stderr.write(`${formatLocated(problem)}\n`)
  return EXIT.configuration
}
