// Renders the chart with its default values into deploy/kubernetes: `npm run manifests`. Needs the command helm.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFESTS, renderedManifest } from './rendered-chart.ts'
import { root } from './steps.ts'

for (const [file, options] of Object.entries(MANIFESTS)) writeFileSync(join(root, file), renderedManifest(options))
