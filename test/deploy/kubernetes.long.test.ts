// Renders the chart with helm and validates it against the schemas that Kubernetes publishes, which the Python package
// kubernetes-validate contains: `npm test -- deploy/kubernetes.long`. $HELM names another helm command.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { Folder } from '#test/folder'
import { MANIFESTS, renderedChart, renderedManifest } from '../../scripts/rendered-chart.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VALIDATOR = 'kubernetes-validate==1.37.0'
/** The oldest version of the chart, and the newest with schemas. */
const VERSIONS = ['1.25', '1.37']

const helm = spawnSync(process.env['HELM'] ?? 'helm', ['version', '--short'], { stdio: 'ignore' }).status === 0
const helmMissing = helm ? false : 'NOTICE: needs helm; to have it: go install helm.sh/helm/v3/cmd/helm@v3.22.0'

/** Values that render every template and both forms of alternatives. */
const VARIANTS: readonly (readonly string[])[] = [
  [],
  ['--set=secret.values.gateway\\.admin\\.password=secret', '--set=serviceMonitor.enabled=false'],
  ['--set=autoscaling.enabled=false,networkPolicy.trafficFrom[0].podSelector.matchLabels.app=ingress'],
  ['--set=config.handler=Router', '--set=scripts.js.a\\.js=x', '--set=scripts.groovy.a\\.groovy=x'],
  ['--set=state.emptyDir=null,state.persistentVolumeClaim.claimName=state', '--set=imagePullSecrets[0].name=registry'],
]

const folder = new Folder()
let validatorMissing: string | false = false

before(
  () => {
    const words = ['-m', 'pip', 'install', '--quiet', '--target', folder.in('python'), VALIDATOR]
    const { status } = spawnSync('python3', words, { stdio: 'ignore' })
    if (status !== 0) validatorMissing = `NOTICE: ${VALIDATOR} can not be installed by pip`
  },
  { timeout: 300_000 },
)

test('the manifests are those of the chart', { skip: helmMissing }, () => {
  for (const [file, options] of Object.entries(MANIFESTS))
    assert.equal(readFileSync(join(ROOT, file), 'utf8'), renderedManifest(options), `${file}: run npm run manifests`)
})

test('the chart passes helm lint', { skip: helmMissing }, () => {
  const words = ['lint', '--strict', '--kube-version=1.37.0', join(ROOT, 'deploy/helm/identity-gateway')]
  const { status, stdout } = spawnSync(process.env['HELM'] ?? 'helm', words, { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})

test('manifests and the chart with other values are valid for Kubernetes', { timeout: 300_000 }, (context) => {
  if (validatorMissing !== false) return context.skip(validatorMissing)
  const files = ['kubernetes/identity-gateway.yaml', 'fleet/kubernetes.yaml'].map((file) => join(ROOT, 'deploy', file))
  for (const [at, options] of (helm ? VARIANTS : []).entries()) {
    folder.write(`${at}.yaml`, renderedChart(options))
    files.push(folder.in(`${at}.yaml`))
  }
  for (const version of VERSIONS) {
    const words = ['-m', 'kubernetes_validate', '--strict', '--no-warn', '--quiet', '-k', version, ...files]
    const env = { ...process.env, PYTHONPATH: folder.in('python') }
    const { status, stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8', env })
    assert.equal(status, 0, `${version}: ${stdout}${stderr}`)
  }
})

test('the validation rejects an unknown field', { timeout: 60_000 }, (context) => {
  if (validatorMissing !== false) return context.skip(validatorMissing)
  const manifest = readFileSync(join(ROOT, 'deploy/kubernetes/identity-gateway.yaml'), 'utf8')
  folder.write('wrong.yaml', manifest.replace('readOnlyRootFilesystem', 'readonlyRootFileSystem'))
  const words = ['-m', 'kubernetes_validate', '--strict', '-k', '1.37', folder.in('wrong.yaml')]
  const env = { ...process.env, PYTHONPATH: folder.in('python') }
  assert.notEqual(spawnSync('python3', words, { stdio: 'ignore', env }).status, 0)
})
