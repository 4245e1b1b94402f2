// A real ActiveMQ and a real JMS consumer: started, sent to, killed, restarted, and ended.
import { Authority } from '#test/certificates'
import { runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { ActiveMqBroker, activeMqMissing, VERSION } from './broker.ts'
import { FAULT_FLOWS } from './flows/faults.ts'
import { GATEWAY_FLOWS } from './flows/gateway.ts'
import { MESSAGE_FLOWS } from './flows/messages.ts'
import { RECORDING_FLOWS } from './flows/recording.ts'

/** Words choose flows by their name; those that replace committed recordings run with the word `record` only. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    if (activeMqMissing !== false) throw new Error(activeMqMissing)
    const known = [
      ...(words.includes('record') ? RECORDING_FLOWS : []),
      ...MESSAGE_FLOWS,
      ...FAULT_FLOWS,
      ...GATEWAY_FLOWS,
    ]
    const flows = known.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    if (flows.length === 0) throw new Error(`no flow has ${words.join(' or ')} in its name`)
    const authority = owned.use(new Authority('Authority of ActiveMQ'))
    const server = authority.issue({ name: 'broker', altNames: 'IP:127.0.0.1' })
    const client = authority.issue({ name: 'gateway' })
    const started = performance.now()
    const broker = owned.use(await ActiveMqBroker.start({ tls: { authority, server } }))
    console.log(`ActiveMQ ${VERSION} was ready after ${((performance.now() - started) / 1000).toFixed(1)} s`)
    const agreed = await runFlows(flows, { authority, client, broker })
    console.log(`peak memory: ActiveMQ ${broker.peakMemory} MiB`)
    return agreed
  })
}
