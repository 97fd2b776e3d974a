/** Profiles that have everything of a binary still to be looked up. */
import { openBinary } from '../../core/binary/open.js';
import { ProfileBuilder } from '../../core/profile/edit/builder.js';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { textAddresses } from '../helpers/text-addresses.js';

/** In pprof's format, of a binary with fixed addresses: at most `count` locations over all of its code, in stacks of ten. */
export async function unsymbolizedProfile(path: string, count: number): Promise<Uint8Array> {
  const binary = openBinary(path);
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  const code = binary.segments.find(({ executable }) => executable)!;
  const memoryStart = binary.imageBase + BigInt(code.objectAddress);
  const mapping = builder.mapping({
    memoryStart,
    memoryLimit: memoryStart + BigInt(code.memoryBytes),
    fileOffset: code.fileOffset,
    filename: path,
    buildId: binary.gnuBuildId ?? binary.goBuildId ?? '',
  });
  binary.release();
  const locations = textAddresses(path, count).map((address) => builder.location({ mapping, address }));
  for (let first = 0; first < locations.length; first += 10) {
    builder.addSample({ stack: locations.slice(first, first + 10), values: [1] });
  }
  return Buffer.concat(await encodeProfile(builder.finish(), { compression: 'gzip', level: 1 }));
}
