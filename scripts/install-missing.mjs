// Installs the npm packages when they are missing or older than the lock file, so that `npm start` and `npm test`
// work on a fresh clone. Plain JavaScript: it must run on any installed version of Node.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = join(root, 'node_modules')
const stamp = join(packages, '.package-lock.json')
const lock = join(root, 'package-lock.json')
const node = join(packages, '.bin', 'node')

const current = existsSync(stamp) && existsSync(node) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs
if (!current) {
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      `node_modules is a symbolic link to ${readlinkSync(packages)}, whose packages are missing or older than package-lock.json.`,
      'Nothing was installed, since npm ci would empty that folder for every checkout that uses it.',
      'Run npm ci in the checkout that it belongs to, or remove the link and start again: rm node_modules',
    )
    process.exit(1)
  }
  console.error('installing packages (npm ci) ...')
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const [command, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) {
    console.error('npm ci failed: the packages could not be installed; see the lines above')
    process.exit(1)
  }
  if (!existsSync(node)) {
    console.error(
      'the packages are installed, but not Node itself, an optional dependency for Linux and macOS on x64 and arm64:',
      'npm is configured to leave optional dependencies out, or this is another platform. Install them with: npm ci --include=optional',
    )
    process.exit(1)
  }
}
