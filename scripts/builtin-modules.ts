import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

const require = createRequire(import.meta.url)

/**
 * Reads only those exports of Node's modules that are used. An import declaration reads all of them, getters included, which load
 * their implementation: the whole client behind `fetch` for `node:http`, for example.
 */
export const builtinModules: Plugin = {
  name: 'builtin modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'builtin', sideEffects: false },
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(Object.getOwnPropertyDescriptors(require(path))).filter(
        (name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name),
      )
      const exports = names.map((name) => `const ${local(name)} = /* @__PURE__ */ read('${name}')`)
      const list = names.map((name) => `${local(name)} as ${name}`)
      return {
        loader: 'js',
        contents: `const builtin = process.getBuiltinModule('${path}')
const read = (name) => builtin[name]
${exports.join('\n')}
export { ${list.join(', ')} }
export default builtin`,
      }
    })
  },
}

/** Names of exports may be reserved words. */
function local(name: string): string {
  return `builtin_${name}`
}
