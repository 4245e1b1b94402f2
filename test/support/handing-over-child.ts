// One of two processes of a hand-over: writes each id that it has claimed to its standard output, and is killed, by itself at a step
// where it is the old one.
import { writeSync } from 'node:fs'
import { Predecessor } from '../../src/control/units/take-over/predecessor.ts'
import { claimIds, HandingOver, IDS, KEPT, unitOf } from './handing-over.ts'

const [path, role, last] = process.argv.slice(2) as [string, 'old' | 'new', string]
const say = (line: string | number) => void writeSync(1, `${line}\n`)

if (role === 'old') {
  const old = await HandingOver.listen(path)
  const unit = unitOf(old.store)
  for (let id = 0; id < IDS; id++) await unit.set(`once-${id}`, { id })
  for (let kept = 0; kept < KEPT; kept++) await unit.set(`kept-${kept}`, { text: 'x'.repeat(20_000) })
  old.onStep = (step) => {
    if (step === 'begin') void claimIds(old.store, say)
    if (step === last) process.kill(process.pid, 'SIGKILL')
  }
  say('ready')
  setInterval(() => {}, 1_000)
} else {
  const next = (await Predecessor.find(path, '1')) as Predecessor
  await next.copy(() => true)
  const claims = claimIds(next.store, say)
  await next.switch()
  await claims
}
