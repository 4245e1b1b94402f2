import { named } from './arguments.ts'
import type { Command } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { ManagementClient, ManagementUnavailable } from './management/management-client.ts'
import { CA_OPTION, LOCAL_MANAGEMENT_API, namedAddress, namedAuthorities } from './management/management-options.ts'
import { writeJson } from './terminal.ts'

const CHECKS = { ready: '/health/ready', live: '/health/live', startup: '/health/startup' }

const TIMEOUT = 5_000

/** `gateway health`: the health of a running gateway, for probes that run a command. */
export const command: Command = {
  usage: ['health [ready|live|startup] [--gateway URL] [--ca FILE] [--json]'],
  description: [
    'Asks a running gateway for its health: whether it is ready for traffic (default), whether its threads work, or whether its start is complete. Prints the failed checks. For container runtimes whose health checks run a command; elsewhere use /health/ready of the management connector.',
  ],
  options: [
    {
      name: 'gateway',
      value: 'URL',
      description: `Address of the management connector; $GATEWAY_ADMIN_URL, otherwise ${LOCAL_MANAGEMENT_API} by default.`,
    },
    CA_OPTION,
  ],
  operands: { least: 0, most: 1, complete: Object.keys(CHECKS) },
  examples: [{ line: 'gateway health live --gateway http://127.0.0.1:9085', note: 'another port' }],
  exits: [[EXIT.failed, 'a check fails, or the gateway does not respond within 5 seconds']],
  async run(args, { env, stdout, stderr }) {
    const [check = 'ready'] = args.operands
    const path = `${named(CHECKS, check)}?verbose`
    const url = namedAddress(args, { env }) ?? new URL(LOCAL_MANAGEMENT_API)
    const result = await health(new ManagementClient({ url, password: null, ca: namedAuthorities(args) }), path)
    const isHealthy = typeof result !== 'string' && result.status === 'UP'
    if (args.json) writeJson(stdout, typeof result === 'string' ? { status: 'DOWN', error: result } : { ...result })
    else if (typeof result === 'string') stderr.write(`gateway: health: ${result}\n`)
    else {
      const failed = result.checks.filter(({ ok }) => !ok)
      const lines = failed.map(({ name, detail }) => `${name}${detail === undefined ? '' : `: ${detail}`}\n`)
      stdout.write([`${result.status}\n`, ...lines].join(''))
    }
    return isHealthy ? EXIT.ok : EXIT.failed
  },
}

interface HealthResult {
  readonly status: string
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[]
}

/** The result of a health endpoint, or the reason of its failure. */
async function health(client: ManagementClient, path: string): Promise<HealthResult | string> {
  try {
    const { status, report } = await client.report(path, TIMEOUT)
    if (Array.isArray(report['checks'])) return report as unknown as HealthResult
    return `${client.address}: no health endpoint of a gateway: status ${status}`
  } catch (error) {
    if (error instanceof ManagementUnavailable) return error.message
    throw error
  }
}
