// The tests of a change: those that reach, by imports, a file that differs from another revision.
import { execFileSync } from 'node:child_process'
import { ImportGraph } from './import-graph.ts'
import { root } from './steps.ts'

/** Files that differ from a revision, also those that git does not know yet. */
export function changedFiles(revision: string): readonly string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  const base = git('merge-base', revision, 'HEAD')[0] as string
  const files = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
  return [...new Set(files.filter((file) => file !== ''))]
}

/** The tests among `tests` that a change of files can concern. */
export function testsOf(changed: readonly string[], tests: readonly string[], graph = new ImportGraph()): string[] {
  const concerned = graph.reaching(changed)
  const isDocumented = changed.some((file) => !file.endsWith('.ts') && !file.endsWith('.tsx'))
  return tests.filter((test) => {
    // Tests of the repository read files in place of importing them.
    if (/^test\/(?:architecture|vocabulary|catalogue|repository)[^/]*$/.test(test)) return changed.length > 0
    if (/^test\/(?:docs|schemas|codes)[^/]*$/.test(test) && isDocumented) return true
    return concerned.has(test)
  })
}
