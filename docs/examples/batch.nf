// SPDX-License-Identifier: BSD-3-Clause
// Nextflow: chunks of images wherever there is room, then one catalogue. nextflow run batch.nf --images 'survey/*.fits'
params.images = 'survey/*.fits'
params.chunk = 100

process FIND {
    cpus 4

    input:
    path images

    output:
    path 'out/*'

    script:
    // Each chunk's records under a number of their own, so that all fit into one folder.
    """
    reber run ${images} -o out --products csv --join none --threads ${task.cpus} --rank 0/1 --quiet
    mv out/batch.jsonl out/batch.${task.index}.jsonl
    """
}

process MERGE {
    publishDir '.', mode: 'copy'

    input:
    path 'results/*'

    output:
    path 'fields.csv'

    script:
    """
    reber merge results -o fields.csv
    """
}

workflow {
    FIND(channel.fromPath(params.images).collate(params.chunk))
    MERGE(FIND.out.flatten().collect())
}
