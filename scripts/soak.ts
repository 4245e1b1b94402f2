// npm run soak: mixed load with reloads and faults, or hostile clients beside normal ones.
import { parseArgs } from 'node:util'
import { ATTACK_NAMES } from '../test/support/hostile/hostile-clients.ts'
import { hostileReport } from '../test/support/hostile/report.ts'

const PROGRESS_INTERVAL = 10_000

const HELP = `usage: npm run soak [-- OPTION...]

Runs a gateway with two units under load, and checks that every response is as expected, no unit is restarted, and memory
does not grow. Progress is written to standard error every ${PROGRESS_INTERVAL / 1000} seconds, the result to standard output.

options:
  --minutes N     length of the run, fractions allowed (default 2, with --hostile 30)
  --hostile       hostile clients beside normal ones, instead of mixed load with route changes and faults
  --take-over     processes that take over from one another, instead of route changes and faults: 20,000 sessions are used meanwhile
  --attack NAME   with --hostile: only this kind of hostile client; can be repeated
  --help

kinds of hostile clients:
${ATTACK_NAMES.map((name) => `  ${name}`).join('\n')}

exit codes:
  0   passed
  1   an unexpected response, a restart or growth
  64  invalid command line
`

const options = readOptions()
if (options === null) process.stdout.write(HELP)
else process.exitCode = (await run(options)) ? 0 : 1

interface SoakOptions {
  readonly minutes: number
  readonly hostile: boolean
  readonly takeOver: boolean
  readonly attack: readonly string[] | undefined
}

/** Null for --help. Ends the process for an invalid command line. */
function readOptions(): SoakOptions | null {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        hostile: { type: 'boolean', default: false },
        'take-over': { type: 'boolean', default: false },
        attack: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return null
    const { hostile, attack, 'take-over': takeOver } = values
    const unknown = attack?.find((name) => !ATTACK_NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`--attack: unknown kind "${unknown}"`)
    if (attack !== undefined && !hostile) throw new Error('--attack needs --hostile')
    if (hostile && takeOver) throw new Error('--hostile and --take-over are two runs')
    const minutes = Number(values.minutes ?? (hostile ? 30 : 2))
    if (!(minutes > 0)) throw new Error(`--minutes: expected a number above 0, got "${values.minutes}"`)
    return { minutes, hostile, takeOver, attack }
  } catch (error) {
    console.error(`soak: ${(error as Error).message}\nsee: npm run soak -- --help`)
    process.exit(64)
  }
}

/** Writes a progress line at most once in each interval after the first call, which is made when the load runs. */
function progressOf(duration: number): (text: () => string) => void {
  let start: number | null = null
  let next = 0
  return (text) => {
    const now = performance.now()
    start ??= now
    next ||= start + PROGRESS_INTERVAL
    if (now < next) return
    next = now + PROGRESS_INTERVAL
    console.error(`soak: ${((now - start) / 1000).toFixed(0)} s of ${(duration / 1000).toFixed(0)} s: ${text()}`)
  }
}

/** Modules of the runs are loaded here: with them --help would take seconds, and node:test would print its counts. */
async function run({ minutes, hostile, takeOver, attack: attacks = ATTACK_NAMES }: SoakOptions): Promise<boolean> {
  const duration = minutes * 60_000
  if (takeOver) {
    console.error(`soak: processes that take over for ${minutes} minutes`)
    const { takeOverSoak } = await import('./take-over-soak.ts')
    return takeOverSoak(duration, progressOf(duration))
  }
  if (!hostile) {
    console.error(`soak: mixed load for ${minutes} minutes`)
    const { mixedSoak } = await import('./mixed-soak.ts')
    return mixedSoak(duration, progressOf(duration))
  }
  console.error(`soak: hostile clients for ${minutes} minutes: ${attacks.join(', ')}`)
  const { hostileSoak } = await import('../test/support/hostile/soak.ts')
  const progress = progressOf(duration)
  const outcome = await hostileSoak(duration, attacks, ({ residentMiB, descriptors, turnMs }) =>
    progress(
      () =>
        `${residentMiB.toFixed(0)} MiB resident, ${descriptors} descriptors, longest event-loop turn ${turnMs.toFixed(0)} ms`,
    ),
  )
  console.log(hostileReport(outcome))
  return outcome.problems.length === 0
}
