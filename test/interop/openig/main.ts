// A real OpenIG and the gateway with one and the same instance: their responses, and their requests to the application.
import assert from 'node:assert/strict'
import { CaseApplication } from '#test/case-application'
import { caseFiles } from '#test/case-files'
import { type CaseOutcome, type GatewayCase, runCase } from '#test/case-requests'
import { GatewayProcess } from '#test/gateway-process'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { CASES, DIFFERENT } from './cases.ts'
import { differences } from './differences.ts'
import { buildOpenIg, OPENIG_VERSION, OpenIgServer, TOMCAT_VERSION } from './openig-server.ts'

interface Peers {
  readonly gateway: GatewayProcess
  readonly openig: OpenIgServer
  readonly application: CaseApplication
}

function flowOf(tested: GatewayCase): Flow<Peers> {
  const reason = DIFFERENT[tested.id]
  return {
    name: `${tested.id}: ${tested.what}${reason === undefined ? '' : ` (differs: ${reason})`}`,
    timeout: 20_000,
    run: async ({ gateway, openig, application }) => {
      const expected = await outcome(openig.port, application, tested)
      const found = await outcome(gateway.port, application, tested)
      const different = differences(found, expected)
      if (reason === undefined) assert.equal(different.join('\n'), '', 'OpenIG (-) and the gateway (+) differ')
      else assert.notDeepEqual(different, [], 'no difference; take it out of the table')
    },
  }
}

/** Ports of the gateways are part of some texts. */
async function outcome(port: number, application: CaseApplication, tested: GatewayCase): Promise<CaseOutcome> {
  const found = await runCase(port, application, tested)
  return JSON.parse(JSON.stringify(found).replaceAll(`localhost:${port}`, 'localhost:GATEWAY')) as CaseOutcome
}

/** Words choose cases by their id and name. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    const flows = CASES.map(flowOf).filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    )
    if (flows.length === 0) throw new Error(`no case has ${words.join(' or ')} in its name`)
    buildOpenIg()
    console.log(`OpenIG ${OPENIG_VERSION} in Tomcat ${TOMCAT_VERSION}: ${flows.length} cases`)
    const application = owned.use(await CaseApplication.start())
    const gateway = owned.use(await GatewayProcess.start(caseFiles(CASES, application.port)))
    const openig = owned.use(await OpenIgServer.start(gateway.instance.directory))
    const agreed = await runFlows(flows, { gateway, openig, application }, gateway.log)
    if (!agreed) console.log(openig.log.slice(-6000))
    console.log(`peak memory: OpenIG ${openig.peakMemory} MiB`)
    return agreed
  })
}
