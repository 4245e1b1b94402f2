// A process that writes a tamper-evident trail until it is killed: node audit-file-writer.ts DIRECTORY ROUND
// It appends the ids of accepted events to DIRECTORY-acknowledged, and prints a line for each batch.
import { appendFileSync } from 'node:fs'
import { openFiles } from '../../src/audit/transports/file/file-transport.ts'
import { NO_ROTATION } from '../../src/trail/files/file-plan.ts'
import { chainPlan, eventText, fileEnv, filePlan } from './audit-files.ts'

const [directory = '', round = ''] = process.argv.slice(2)
const rotation = { ...NO_ROTATION, maxFileSize: 30_000 }
const plan = filePlan(directory, { chain: chainPlan({ lines: 7 }), rotation, compress: true, sync: 0 })
const transport = openFiles({ ...plan, topics: ['access'] }, fileEnv(Date.now()))
const { signal } = new AbortController()
for (let batch = 0; ; batch++) {
  const records = Array.from({ length: 5 }, (_, n) => {
    const id = `${round}-${batch}-${n}`
    return { topic: 'access', id, text: eventText(id, 'x'.repeat(300)), time: 0 }
  })
  await transport.send(records, signal)
  appendFileSync(`${directory}-acknowledged`, records.map(({ id }) => `${id}\n`).join(''))
  process.stdout.write('.\n')
}
