// npm run docs: builds the documentation site from docs/ into site/VERSION (or `-- --out DIR`). A broken link is exit code 1.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './docs-site/build-site.ts'
import { root } from './steps.ts'

const { values } = parseArgs({
  options: { root: { type: 'string', default: root }, out: { type: 'string', default: join(root, 'site') } },
})
const { version } = JSON.parse(readFileSync(join(values.root, 'package.json'), 'utf8')) as { version: string }
const out = resolve(values.out)
const { pages, broken } = buildSite({ root: values.root, out, version })
for (const link of broken) console.error(`broken link: ${link}`)
if (broken.length > 0) process.exitCode = 1
console.log(`${pages} pages in ${join(out, version)}; open ${join(out, 'index.html')}`)
