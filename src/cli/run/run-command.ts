import { createLogger } from '#logging'
import type { Command } from '../command.ts'
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
import { serve } from './serve.ts'
import { unwritableDirectory } from './unwritable-directory.ts'

/** `gateway run`: runs an instance until a stop signal. */
export const RunCommand: Command = {
  usage: ['run [--instance DIR] [--state DIR] [-Dname=value]... [--json]'],
  description: [
    'Serves the routes of an instance until SIGTERM or SIGINT. It then accepts no new connections, lets in-flight requests end within the grace period of their connector, and exits; a second signal ends it at once. SIGHUP reloads all route files, keystores and secrets.',
    'Route files are watched: a saved file is deployed within a second, and of an invalid file the last good version keeps serving. A missing ~/.gateway is created; any other missing directory is an error.',
    'With --state, nothing is written to the instance, which may be read-only; changes of routes over the management API are rejected with 403.',
    'With --json, the log has JSON lines on a terminal, too.',
  ],
  options: [INSTANCE_OPTION, STATE_OPTION, DEFINE_OPTION],
  operands: { least: 0, most: 0 },
  examples: [
    { line: 'gateway run --instance ./my-gateway', note: 'an instance created by `gateway init ./my-gateway`' },
    { line: 'GATEWAY_LOG_LEVEL=debug gateway run', note: '~/.gateway, with debug log' },
  ],
  exits: [
    [EXIT.failed, 'it could not start, for example because a port is taken, or it stopped after an internal error'],
    [EXIT.forced, 'it got a second signal to stop'],
    [EXIT.configuration, 'admin.json or config.json can not be used'],
  ],
  async run(args, context) {
    const { instance, origin } = chosenInstance(args, context)
    const state = chosenState(args, context)
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
    const opened = await openSettings(instance, logger, own, {
      state,
      system: definedProperties(args, context),
    })
    if ('problems' in opened) return refuse(opened.problems, context)
    return serve({ ...opened, logFormat: args.json ? 'json' : null }, own)
  },
}

function refuse(problems: readonly LocatedProblem[], { stderr }: ProcessContext): number {
  for (const problem of problems) stderr.write(`${formatLocated(problem)}\n`)
  return EXIT.configuration
}
