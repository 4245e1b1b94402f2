import { existsSync, readFileSync } from 'node:fs'
import { CaseApplication, type RecordedUpstream } from './case-application.ts'
import { caseFiles, withPorts } from './case-files.ts'
import { type CaseOutcome, type GatewayCase, type RecordedResponse, runCase } from './case-requests.ts'
import { RunningGateway } from './gateway.ts'

export type { RecordedResponse, RecordedUpstream }

/** A case with its outcome in OpenIG; header fields are sorted. */
export interface RecordedCase extends GatewayCase {
  readonly openig: CaseOutcome
}

const file = new URL('../../../shared/corpora/openig/recorded.json', import.meta.url)

/** The cases of the corpus; null if it is not beside the checkout. */
export function recordedCases(): readonly RecordedCase[] | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedCase[]) : null
}

/** One gateway with the routes of many cases, distinguished by the field X-Case, and the application behind it. */
export class RecordedSite implements AsyncDisposable {
  readonly #gateway: RunningGateway
  readonly #application: CaseApplication

  private constructor(gateway: RunningGateway, application: CaseApplication) {
    this.#gateway = gateway
    this.#application = application
  }

  static async start(cases: readonly RecordedCase[]): Promise<RecordedSite> {
    const application = await CaseApplication.start()
    const parts = caseFiles(cases, application.port)
    const env = { PEER_TEST: 'from-env', PEER_STATUS: '203' }
    return new RecordedSite(await RunningGateway.start({ ...parts, env }), application)
  }

  /** The problems of a case's route that was not loaded. */
  problems(id: string): string[] {
    return this.#gateway.problems(`${id}.json`)
  }

  /** Runs a case; `change` makes the file changes that are not recorded. */
  async run(recorded: RecordedCase, change: (gateway: RunningGateway) => unknown): Promise<CaseOutcome> {
    return await runCase(this.#gateway.port, this.#application, recorded, async () => {
      await change(this.#gateway)
      await this.#gateway.scan()
    })
  }

  /** Replaces placeholders by the ports of this run. */
  filled(recorded: CaseOutcome): CaseOutcome {
    const ports = { upstream: this.#application.port, gateway: this.#gateway.port }
    return JSON.parse(withPorts(JSON.stringify(recorded), ports)) as CaseOutcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]()
    await this.#application[Symbol.asyncDispose]()
  }
}
