"""The reader's training: data, edits, network, loop, thresholds, export and figures to OpenVINO.

The reader is an encoder with two heads. The first reads a passage beside a statement (supported, refuted, not enough);
the second reads all evidence on a claim and gives AVeriTeC's label. ``data`` writes one array file of token ids, and
``train`` needs only that file, torch and transformers, so it runs unchanged on a borrowed GPU.

    python -m training reader data --sets FOLDER --claims train.json --base ENCODER --output pairs.npz
    python -m training reader train --data pairs.npz --base ENCODER --output models/reader --minutes 120
    python -m training reader train --data pairs.npz --base system/reader/mpnet --layers 0    # from the bundled reader
    python -m training reader evaluate --reader models/reader --sets FOLDER/eval
    python -m training reader export --reader models/reader --output system/reader/mpnet
"""
