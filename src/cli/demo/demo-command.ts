import { createSampleInstance, startDemoAccessManager, startProtectedApplication } from '#dev'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { SILENT_LOGGER } from '../dry-run/silent-logger.ts'
import { EXIT } from '../exit-codes.ts'
import { forInstance, openSettings } from '../instance-settings.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { serve } from '../run/serve.ts'
import { isColoured, writeJson } from '../terminal.ts'
import { showAuditEventsAsLines } from './audit-lines.ts'
import { type DemoFacts, demoText, filledRows } from './demo-text.ts'
import { portProblem, preferredPort } from './free-port.ts'

const TRAFFIC_PORT = 8080
const TLS_PORT = 8443
const ADMIN_PORT = 8085
const ACCESS_MANAGER_PORT = 8088

/** `gateway demo`: a sample gateway in front of an application, with commands to try. */
export const command: Command = {
  usage: ['demo [--port PORT] [--tls-port PORT] [--admin-port PORT] [--am-port PORT] [--json]'],
  description: [
    'Runs the gateway on a sample instance, with a small application that echoes its requests and an access manager that issues tokens, and prints commands to try: routing, OAuth 2.0, login with single sign-on and OpenID Connect, policies, throttling, scripts, WebSocket, TLS and metrics. Its pages lead from one to the next in a browser. All files are in a temporary directory that is removed at the end; all ports are on the loopback interface. Ctrl-C stops it.',
    'Without options it uses the ports 8080, 8443, 8085 and 8088, or free ones where those are in use.',
  ],
  options: [
    { name: 'port', value: 'PORT', description: 'Port for traffic; 0 for a free one.' },
    { name: 'tls-port', value: 'PORT', description: 'Port for traffic with TLS; 0 for a free one.' },
    { name: 'admin-port', value: 'PORT', description: 'Port for management; 0 for a free one.' },
    { name: 'am-port', value: 'PORT', description: 'Port of the access manager; 0 for a free one.' },
  ],
  operands: { least: 0, most: 0 },
  examples: [{ line: 'gateway demo --port 9000', note: 'if port 8080 is in use' }],
  exits: [
    [EXIT.failed, 'it could not start'],
    [EXIT.forced, 'it got a second signal to stop'],
  ],
  async run(args, context) {
    const problem = await takenPort(args)
    if (problem !== null) {
      context.stderr.write(`gateway: demo: ${problem}\n`)
      return EXIT.failed
    }
    const port = portOption(args, 'port') ?? (await preferredPort(TRAFFIC_PORT))
    const tlsPort = portOption(args, 'tls-port') ?? (await preferredPort(TLS_PORT))
    const adminPort = portOption(args, 'admin-port') ?? (await preferredPort(ADMIN_PORT))
    const accessManagerPort = portOption(args, 'am-port') ?? (await preferredPort(ACCESS_MANAGER_PORT))
    if (!args.json) context.stdout.write('starting the demo ...\n')
    await using application = await startProtectedApplication()
    await using accessManager = await startDemoAccessManager(accessManagerPort)
    using instance = createSampleInstance({ application: application.url, accessManager, port, tlsPort, adminPort })
    const { directory } = instance
    const own = forInstance(context, directory)
    const opened = await openSettings(directory, SILENT_LOGGER, own, { state: null })
    if ('problems' in opened) {
      for (const problem of opened.problems) context.stderr.write(`${formatLocated(problem)}\n`)
      return EXIT.configuration
    }
    if (!args.json) showAuditEventsAsLines(isColoured(context.stdout, context) ? 'colour' : 'plain')
    return await serve(
      {
        ...opened,
        logFormat: args.json ? 'json' : 'pretty',
        ready: ({ traffic: [traffic = '', secure = ''], admin }) => {
          application.setLinks({ traffic, secure, admin })
          accessManager.registerLogin([traffic, secure].flatMap(originsOf))
          const places = { application: application.url, accessManager: accessManager.url, instance: directory }
          const facts = { traffic, secure, admin, ...places }
          printAddresses(facts, args.json, context)
        },
      },
      own,
    )
  },
}

function printAddresses(facts: DemoFacts, json: boolean, context: ProcessContext): void {
  if (json) writeJson(context.stdout, { ...facts, rows: filledRows(facts) })
  else context.stdout.write(demoText(facts, context))
}

/** Addresses of a connector on loopback, as browsers may have them. */
function originsOf(url: string): string[] {
  return [url, url.replace('127.0.0.1', 'localhost')]
}

const PORT_OPTIONS = ['port', 'tls-port', 'admin-port', 'am-port']

/** The first port of the command line that can not be opened, with the remedy. */
async function takenPort(args: Arguments): Promise<string | null> {
  for (const name of PORT_OPTIONS) {
    const port = portOption(args, name)
    const code = port === null || port === 0 ? null : await portProblem(port)
    if (code === null) continue
    const reason = code === 'EADDRINUSE' ? 'is in use by another process' : `can not be opened: ${code}`
    return `port ${port} ${reason}; choose another one with --${name}, or 0 for a free one`
  }
  return null
}

function portOption(args: Arguments, name: string): number | null {
  const text = args.value(name)
  if (text === undefined) return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--${name}: expected a port from 0 to 65535, got ${JSON.stringify(text)}`)
  return Number(text)
}
