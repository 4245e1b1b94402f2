import { spawnSync } from 'node:child_process'

/** Why tests with promtool cannot run here, or false. */
export const promtoolMissing: string | false =
  spawnSync('promtool', ['--version']).status === 0
    ? false
    : 'promtool is not on the PATH (Debian: prometheus); nothing was checked with it'

/** Status and output of promtool; empty without findings. */
export function promtool(words: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', [...words], { input, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}
