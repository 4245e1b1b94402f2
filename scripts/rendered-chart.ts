import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './steps.ts'

const CHART = join(root, 'deploy', 'helm', 'identity-gateway')

/** Manifests without Helm by path, with the options of their rendering. Their Secret is created by hand. */
export const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  'deploy/kubernetes/identity-gateway.yaml': [],
  'deploy/kubernetes/service-monitor.yaml': [
    '--show-only=templates/servicemonitor.yaml',
    '--set=serviceMonitor.enabled=true',
  ],
}

/** A manifest as `helm template` renders it; `$HELM` names the command. */
export function renderedManifest(options: readonly string[]): string {
  const text = renderedChart(['--set=secret.existing=identity-gateway', ...options])
  return `# Rendered from deploy/helm/identity-gateway by \`npm run manifests\`.\n${text.replace(/^# Source: .*\n/gm, '')}`
}

/** All documents of the chart. The version of Kubernetes is given, since helm has no other without a cluster. */
export function renderedChart(options: readonly string[]): string {
  const words = ['template', 'identity-gateway', CHART, '--kube-version=1.37.0', ...options]
  return execFileSync(process.env['HELM'] ?? 'helm', words, { encoding: 'utf8' })
}
